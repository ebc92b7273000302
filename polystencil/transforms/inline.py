"""inline: calls of pure functions become blocks, so that a pass sees what an iteration reads and tests.

    b(i) = 2*damp(a(i), i)             block
                                         real(8) :: y
                               -->       y = a(i)
                                         if (i == 1) y = 0.5*a(i)
                                         b(i) = 2*y
                                       end block

Only where the call is evaluated whenever its statement runs: not behind the first operand of a logical operator, nor
in an argument of merge. Functions with return, input/output, subroutine calls, local arrays or saved variables stay
calls. Every call that was looked at leaves a note; passes turn the notes into remarks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field

from polystencil.analysis.definitions import INQUIRY
from polystencil.errors import Span
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, map_children, map_statement, walk_expression
from polystencil.transforms.inlinable import ArrayMapping, array_mapping, why_not_inlinable
from polystencil.transforms.inline_refusal import NotInlined
from polystencil.transforms.inline_sections import SectionMapping
from polystencil.transforms.inline_substitution import instantiate, stands_for


@dataclass(frozen=True)
class InlineNote:
    """One call that was looked at: where it stands, whom it calls, and why it was not inlined ("" when it was)."""

    span: Span
    name: str
    refusal: str


@dataclass(eq=False)
class Inliner:
    """Inlines into one procedure's bodies; `symbols` collects the block variables it made, `notes` the calls it saw.

    `may_assume` tells which conditions on shapes the caller will have the host check; they end up in `assumptions`.
    """

    table: SymbolTable
    procedure: str
    count: int = 0
    notes: list[InlineNote] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)
    active: tuple[str, ...] = ()
    may_assume: Callable[[x.Expression], bool] = lambda _: False
    assumptions: list[x.Expression] = field(default_factory=list)

    def assume(self, condition: x.Expression) -> bool:
        """Whether a condition on the shapes of arguments may be assumed; it is then kept for the host to check."""
        if not self.may_assume(condition):
            return False
        if condition not in self.assumptions:
            self.assumptions.append(condition)
        return True

    def body(self, body: s.Body) -> s.Body:
        """`body` with every call inlined that can be."""
        return tuple(self.statement(st) for st in body)

    def statement(self, st: s.Statement) -> s.Statement:
        """One statement, as a block where something was inlined in it."""
        match st:
            case s.Assign():
                pull = _Pull(self, st.span)
                value = pull.expression(st.value)
                target = pull.expression(st.target)
                return pull.block(dataclasses.replace(st, target=target, value=value))
            case s.If():
                return self.if_(st)
            case s.SelectCase():
                pull = _Pull(self, st.span)
                selector = pull.expression(st.selector)
                inner = map_statement(st, lambda e: e, self.body)
                return pull.block(dataclasses.replace(inner, selector=selector))
            case s.Do() | s.Block() | s.ParallelLoop() | s.DoWhile():
                for e in child_expressions(st):
                    self.note_calls(e, st.span, "a bound or condition of a loop is evaluated by the loop itself")
                return map_statement(st, lambda e: e, self.body)
            case _:
                for e in child_expressions(st):
                    self.note_calls(e, st.span, "the statement is not an assignment")
                return map_statement(st, lambda e: e, self.body)

    def if_(self, st: s.If) -> s.Statement:
        """The first condition is always evaluated; a later one with calls moves into the else of the former."""
        first, *rest = st.branches
        later = next((k for k, b in enumerate(rest) if _has_call(b.condition)), None)
        if later is not None:
            tail = s.If(tuple(rest[later:]), st.otherwise, span=rest[later].span)
            st = dataclasses.replace(st, branches=(first, *rest[:later]), otherwise=(tail,))
        pull = _Pull(self, first.span)
        condition = pull.expression(first.condition)
        inner = map_statement(st, lambda e: e, self.body)
        branches = (dataclasses.replace(inner.branches[0], condition=condition), *inner.branches[1:])
        return pull.block(dataclasses.replace(inner, branches=branches))

    def note_calls(self, e: x.Expression, span: Span, why: str) -> None:
        """Leave a note for every user function called in an expression that is not inlined."""
        for node in walk_expression(e):
            if isinstance(node, x.FunctionCall):
                self.notes.append(InlineNote(span, self.name_of(node), f"not inlined: {why}"))

    def name_of(self, call: x.FunctionCall) -> str:
        id = getattr(call.target, "id", "")
        return self.table.procedures[id].name if id in self.table.procedures else id


def _has_call(e: x.Expression) -> bool:
    return any(isinstance(n, x.FunctionCall) for n in walk_expression(e))


@dataclass(eq=False)
class _Pull:
    """Pulls the calls out of one statement: what must run before it, and the variables for that."""

    inliner: Inliner
    span: Span
    before: list[s.Statement] = field(default_factory=list)
    declarations: list[Symbol] = field(default_factory=list)

    def expression(self, e: x.Expression) -> x.Expression:
        """`e` with its calls replaced by the variables that hold their results."""
        if not _has_call(e):
            return e
        if isinstance(e, x.Binary) and e.operator in (".and.", ".or."):
            left = self.expression(e.left)
            self.inliner.note_calls(e.right, self.span, "the second operand of a logical operator need not be evaluated")
            return dataclasses.replace(e, left=left)
        if isinstance(e, x.IntrinsicCall) and e.name == "merge":
            self.inliner.note_calls(e, self.span, "an argument of merge need not be evaluated")
            return e
        if isinstance(e, x.IntrinsicCall) and e.name in INQUIRY:
            return e
        if isinstance(e, (x.ImpliedDo, x.ArrayConstructor)):
            self.inliner.note_calls(e, self.span, "an array constructor may evaluate it several times")
            return e
        e = map_children(e, self.expression)
        return self.call(e) if isinstance(e, x.FunctionCall) else e

    def call(self, e: x.FunctionCall) -> x.Expression:
        """The result variable of an inlined call, or the call itself."""
        inliner = self.inliner
        try:
            procedure = _target(e, inliner)
            result = self.place(procedure, e)
        except NotInlined as why:
            inliner.notes.append(InlineNote(self.span, inliner.name_of(e), f"not inlined: {why}"))
            return e
        inliner.notes.append(InlineNote(self.span, procedure.name, ""))
        return result

    def place(self, procedure: Procedure, e: x.FunctionCall) -> x.Ref:
        """Put an instance of the function's body before the statement."""
        inliner = self.inliner
        inliner.count += 1
        prefix = f"{inliner.procedure}.inl{inliner.count}"
        renamed: dict[str, str] = {}
        scalars: dict[str, x.Expression] = {}
        arrays: dict[str, ArrayMapping | SectionMapping] = {}
        declared: list[Symbol] = []
        before: list[s.Statement] = []

        def own(symbol: Symbol) -> x.Ref:
            new = f"{prefix}.{symbol.name}"
            renamed[symbol.id] = new
            declared.append(dataclasses.replace(symbol, id=new, attributes=frozenset(), intent="", initial=None))
            return x.Ref(new, symbol.type)

        for id, actual in zip(procedure.dummies, e.arguments, strict=True):
            dummy = inliner.table.symbols[id]
            if actual is None:
                raise NotInlined(f"the optional argument {dummy.name} is absent")
            if dummy.shape is not None:
                arrays[id] = array_mapping(actual, dummy, procedure, e.arguments, inliner.table, inliner.assume)
            elif stands_for(actual, dummy, procedure):
                scalars[id] = actual
            else:
                before.append(s.Assign(own(dummy), actual, span=self.span))
        for symbol in procedure.symbols:
            if symbol.id not in procedure.dummies and "parameter" not in symbol.attributes:
                own(symbol)
        body = instantiate(procedure.body, renamed, scalars, arrays, prefix)
        nested = Inliner(
            inliner.table, inliner.procedure, inliner.count, inliner.notes, inliner.symbols,
            (*inliner.active, procedure.id), inliner.may_assume, inliner.assumptions,
        )  # fmt: skip
        body = nested.body(body)
        inliner.count = nested.count
        self.declarations += declared
        inliner.symbols += declared
        self.before += [*before, *body]
        if procedure.result is None:
            raise NotInlined("it has no result variable")
        return x.Ref(renamed[procedure.result], e.type)

    def block(self, st: s.Statement) -> s.Statement:
        """The statement with what was pulled out of it in front, as one block."""
        if not self.before:
            return st
        return s.Block(tuple(self.declarations), (*self.before, st), span=st.span)


def _target(e: x.FunctionCall, inliner: Inliner) -> Procedure:
    if not isinstance(e.target, x.ProcedureRef) or e.target.id not in inliner.table.procedures:
        raise NotInlined("the function called is not known")
    procedure = inliner.table.procedures[e.target.id]
    if procedure.id in inliner.active:
        raise NotInlined(f"{procedure.name} is recursive")
    if e.rank:
        raise NotInlined("its result is an array, not a scalar")
    why = why_not_inlinable(procedure, inliner.table)
    if why:
        raise NotInlined(why)
    return procedure
