"""Programs: modules, procedures, their symbols and types.

Ids are program-wide: `module.variable`, `module.procedure.variable`, `main.inner.block1.x`. Two ids never name
the same thing, and code can move between procedures without capturing names. `name` is what the source said.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Literal as OneOf

from polystencil.errors import NOWHERE, SourceText, Span
from polystencil.ir.expressions import Expression
from polystencil.ir.statements import Body
from polystencil.ir.types import Type


@dataclass(frozen=True)
class Dimension:
    """One dimension of a declared shape.

    explicit: `lower:upper`; assumed-shape: `lower:` (upper None, assumed True); deferred: both None, assumed
    False; assumed-size: upper is "*".
    """

    lower: Expression | None
    upper: Expression | str | None
    assumed: bool = False


@dataclass(frozen=True)
class Symbol:
    """A variable, dummy argument, function result, named constant or component.

    `attributes` holds lower-case words: allocatable pointer target parameter optional value save volatile
    contiguous protected asynchronous dummy result external intrinsic private. `intent` is "", "in", "out" or
    "inout". `initial` is the initialiser (also default initialisation of a component), or the value of a
    parameter. `block`, when set, is the storage block (common or equivalence) and `offset` the byte in it.
    """

    id: str
    name: str
    type: Type
    shape: tuple[Dimension, ...] | None = None
    attributes: frozenset[str] = frozenset()
    intent: str = ""
    initial: Expression | None = None
    block: str | None = None
    offset: int = 0
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Binding:
    """A type-bound procedure. `procedure` is None when deferred; `pass_index` is None for nopass.

    `interface` is the id of the abstract interface of a deferred binding.
    """

    name: str
    procedure: str | None
    pass_index: int | None
    interface: str | None = None


@dataclass(frozen=True)
class TypeDefinition:
    """A derived type. `components` include the inherited ones, first (an `extends` parent has no component)."""

    id: str
    name: str
    components: tuple[Symbol, ...]
    extends: str | None = None
    bindings: tuple[Binding, ...] = ()
    abstract: bool = False
    final: tuple[str, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class StorageBlock:
    """A common block (`id` is "/name/", shared by all procedures) or an equivalence class (id of its own).

    `members`: (symbol id, byte offset) as this scope sees it.
    """

    id: str
    size: int
    members: tuple[tuple[str, int], ...]
    common: bool


@dataclass(frozen=True)
class DataValue:
    """One `data` initialisation: `target` (a Ref, Element or Section with constant subscripts) starts as `value`."""

    target: Expression
    value: Expression


ProcedureKind = OneOf["program", "subroutine", "function"]


@dataclass(frozen=True)
class Procedure:
    """A main program, subroutine or function.

    `dummies` are ids in order ("*" for an alternate return); `result` the id of the result variable.
    `prefixes`: pure elemental impure recursive simple. `host` is the id of the procedure or module it stands in.
    `interface_only`: an interface body or abstract interface (no code).
    """

    id: str
    name: str
    kind: ProcedureKind
    dummies: tuple[str, ...]
    result: str | None
    symbols: tuple[Symbol, ...]
    body: Body
    contained: tuple[Procedure, ...] = ()
    types: tuple[TypeDefinition, ...] = ()
    prefixes: frozenset[str] = frozenset()
    host: str | None = None
    blocks: tuple[StorageBlock, ...] = ()
    data: tuple[DataValue, ...] = ()
    interface_only: bool = False
    uses: tuple[str, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def is_pure(self) -> bool:
        """Whether the source declares it pure (elemental procedures are, unless impure)."""
        words = self.prefixes
        return bool({"pure", "simple"} & words) or ("elemental" in words and "impure" not in words)


@dataclass(frozen=True)
class Module:
    """A module; the bodies of its submodules' procedures are among `procedures`. `uses`: ids of used modules."""

    id: str
    name: str
    symbols: tuple[Symbol, ...]
    types: tuple[TypeDefinition, ...]
    procedures: tuple[Procedure, ...]
    uses: tuple[str, ...] = ()
    blocks: tuple[StorageBlock, ...] = ()
    data: tuple[DataValue, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True)
class Program:
    """All that was parsed. `main` is None for bare procedures. Modules stand in the order of their use."""

    modules: tuple[Module, ...]
    procedures: tuple[Procedure, ...]
    main: Procedure | None
    sources: tuple[SourceText, ...] = ()
    block_data: tuple[Procedure, ...] = ()

    @property
    def source_hash(self) -> str:
        """A hash of the texts of the sources: what saved schedules and tuning runs belong to."""
        digest = hashlib.sha256()
        for text in self.sources:
            digest.update(text.text.encode("utf-8", errors="surrogateescape"))
        return digest.hexdigest()[:16]

    def __getitem__(self, name: str) -> Selected:
        """One procedure by its name (or id), with the program it belongs to; KeyError where there is none."""
        return selected(self, name)


@dataclass(frozen=True)
class Selected:
    """A procedure of a program: what schedules and pictures are made of."""

    program: Program
    procedure: Procedure


def selected(program: Program, name: str) -> Selected:
    """The procedure called `name`; an id (`module.procedure`) tells procedures of one name apart."""
    todo = [p for m in program.modules for p in m.procedures]
    todo += [*program.procedures, *([program.main] if program.main is not None else [])]
    while todo:
        procedure = todo.pop(0)
        if name.lower() in (procedure.name, procedure.id) and not procedure.interface_only:
            return Selected(program, procedure)
        todo += procedure.contained
    raise KeyError(name)
