"""Statements: what is executed. Each carries its source span, also after rewriting.

What the front end has already taken apart, so that nothing here needs it: associate (the selector takes the
name's place, its subscripts captured in block variables), labels and go to (structured into named blocks and
loops left by `Exit`), arithmetic if, computed go to, statement functions, entry of included text.

All statements of the language in one place, so one file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from typing import Literal as OneOf

from polystencil.errors import NOWHERE, Span
from polystencil.ir.expressions import Expression, Ref
from polystencil.ir.types import Type

if TYPE_CHECKING:
    from polystencil.ir.program import Symbol


@dataclass(frozen=True, kw_only=True)
class Statement:
    """Base of all statements."""

    span: Span = field(default=NOWHERE, compare=False)


Body = tuple[Statement, ...]


@dataclass(frozen=True)
class Assign(Statement):
    """`target = value`: scalar, whole array or section; the right side is evaluated first.

    Types already agree (value is converted), except character lengths. An allocatable whole-array target
    (a Ref or Component of an allocatable symbol) is reallocated to the shape of the value, as the standard says.
    A derived-type assignment that is user-defined is a Call.
    """

    target: Expression
    value: Expression


@dataclass(frozen=True)
class PointerAssign(Statement):
    """`target => value`, `target(lower:) => value`, `target(lower:upper) => value` (rank remapping).

    `bounds` has a pair per dimension (upper None where only lower is given); empty when there are none.
    """

    target: Expression
    value: Expression
    bounds: tuple[tuple[Expression, Expression | None], ...] = ()


@dataclass(frozen=True)
class Call(Statement):
    """Call of a user's subroutine; `target` as in FunctionCall."""

    target: Expression
    arguments: tuple[Expression | None, ...]


@dataclass(frozen=True)
class CallIntrinsic(Statement):
    """Call of an intrinsic subroutine (move_alloc, system_clock, random_number, ...), positional arguments."""

    name: str
    arguments: tuple[Expression | None, ...]


@dataclass(frozen=True)
class Branch:
    """One `if` or `else if` with its condition."""

    condition: Expression
    body: Body
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Choice:
    """What an `If` that a pass made decides: the transformed or the original form of the loops at these lines.

    The first branch runs the transformed form, unless `original_first`.
    """

    transform: str
    lines: tuple[int, ...]
    original_first: bool = False


@dataclass(frozen=True)
class If(Statement):
    """if / else if / else; `choice` says what a check at run time that a pass made decides."""

    branches: tuple[Branch, ...]
    otherwise: Body = ()
    choice: Choice | None = field(default=None, compare=False)


@dataclass(frozen=True)
class CaseRange:
    """`lower:upper`; a single value has both equal (the same node); None is open."""

    lower: Expression | None
    upper: Expression | None


@dataclass(frozen=True)
class Case:
    ranges: tuple[CaseRange, ...]
    body: Body
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class SelectCase(Statement):
    """The selector is evaluated once; `default` runs when no case matches (empty: nothing does)."""

    selector: Expression
    cases: tuple[Case, ...]
    default: Body = ()


@dataclass(frozen=True)
class TypeGuard:
    """`type is` (exact) or `class is`; `variable` is the symbol through which the body sees the selector."""

    type: Type
    exact: bool
    variable: Symbol
    body: Body
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class SelectType(Statement):
    """select type; `default_variable` is the symbol that `class default` sees."""

    selector: Expression
    guards: tuple[TypeGuard, ...]
    default: Body = ()
    default_variable: Symbol | None = None


@dataclass(frozen=True)
class Do(Statement):
    """A counted loop that runs in order. `name` is unique in the procedure; Exit and Cycle name it."""

    index: Ref
    lower: Expression
    upper: Expression
    step: Expression
    body: Body
    name: str = ""
    directives: tuple[str, ...] = ()


@dataclass(frozen=True)
class DoWhile(Statement):
    """do while; an endless `do` has the literal .true. as condition."""

    condition: Expression
    body: Body
    name: str = ""
    directives: tuple[str, ...] = ()


@dataclass(frozen=True)
class LoopIndex:
    """One index of a parallel loop; bounds are evaluated once, before the loop, and do not name other indices."""

    ref: Ref
    lower: Expression
    upper: Expression
    step: Expression


@dataclass(frozen=True)
class Reduction:
    """`operator` is one of + * max min iand ior ieor .and. .or. .eqv. .neqv."""

    operator: str
    ref: Ref


Origin = OneOf["do concurrent", "do", "array"]


@dataclass(frozen=True)
class ParallelLoop(Statement):
    """A do concurrent nest, or a do nest proven parallel. The first index is the outermost.

    `indices` are private to the loop (their symbols stand in `locals` too when the loop declares them).
    `locals` are variables private to an iteration: their outer values are untouched; `local_init` names those
    (ids) that start with the outer value. `mask` is evaluated per iteration before any iteration runs. `overwrites`
    are ids of arrays of which the loop assigns every element before anything in it reads one.
    """

    indices: tuple[LoopIndex, ...]
    mask: Expression | None
    locals: tuple[Symbol, ...]
    reductions: tuple[Reduction, ...]
    body: Body
    origin: Origin = "do concurrent"
    local_init: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    default_none: bool = False
    name: str = ""
    directives: tuple[str, ...] = ()
    domain: LoopIndex | None = None
    overwrites: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Block(Statement):
    """block with its own variables, created at entry; `name` can be the target of Exit."""

    declarations: tuple[Symbol, ...]
    body: Body
    name: str = ""


@dataclass(frozen=True)
class Exit(Statement):
    """Leave the loop or block called `target`."""

    target: str


@dataclass(frozen=True)
class Cycle(Statement):
    """Go on with the next iteration of the loop called `target`."""

    target: str


@dataclass(frozen=True)
class Return(Statement):
    """Leave the procedure."""


@dataclass(frozen=True)
class Stop(Statement):
    """stop and error stop; `code` is an integer or character expression."""

    code: Expression | None = None
    error: bool = False
    quiet: Expression | None = None


@dataclass(frozen=True)
class Continue(Statement):
    """Does nothing."""


@dataclass(frozen=True)
class WhereClause:
    """`mask` None for the final elsewhere. The body holds Assign and Where only."""

    mask: Expression | None
    body: Body
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Where(Statement):
    """where / elsewhere(mask) / elsewhere: each mask is evaluated once."""

    clauses: tuple[WhereClause, ...]


@dataclass(frozen=True)
class Forall(Statement):
    """forall: each statement of the body completes for all indices before the next starts."""

    indices: tuple[LoopIndex, ...]
    mask: Expression | None
    body: Body


@dataclass(frozen=True)
class Allocation:
    """`object(bounds)`; lower None means 1. `object` is a Ref or Component. `assigned_first`: every element is assigned
    before any is read, so that the memory need not be cleared."""

    object: Expression
    bounds: tuple[tuple[Expression | None, Expression], ...] = ()
    assigned_first: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class Allocate(Statement):
    allocations: tuple[Allocation, ...]
    source: Expression | None = None
    mold: Expression | None = None
    type: Type | None = None
    stat: Expression | None = None
    errmsg: Expression | None = None


@dataclass(frozen=True)
class Deallocate(Statement):
    objects: tuple[Expression, ...]
    stat: Expression | None = None
    errmsg: Expression | None = None


@dataclass(frozen=True)
class Write(Statement):
    """write and print. `unit` None is `*`; a character variable is an internal file.

    `format` None is unformatted, "*" list-directed, else a character expression. `controls` are the other
    specifiers (advance, iostat, iomsg, rec, ...) by lower-case name.
    """

    unit: Expression | None
    format: Expression | str | None
    items: tuple[Expression, ...]
    controls: tuple[tuple[str, Expression], ...] = ()
    is_print: bool = False


@dataclass(frozen=True)
class Read(Statement):
    """read; fields as in Write."""

    unit: Expression | None
    format: Expression | str | None
    items: tuple[Expression, ...]
    controls: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True)
class FileStatement(Statement):
    """open, close, inquire, rewind, backspace, endfile, flush with their specifiers (`unit`, `file`, ...)."""

    keyword: str
    controls: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True)
class NamelistTransfer(Statement):
    """read/write with a namelist group: `members` are (name, Ref)."""

    keyword: str
    unit: Expression | None
    group: str
    members: tuple[tuple[str, Ref], ...]
    controls: tuple[tuple[str, Expression], ...] = ()
