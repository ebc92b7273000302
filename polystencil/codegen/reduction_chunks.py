"""Parallel reductions: each work item runs a piece of the iterations in order, then the pieces are joined in order.

    do concurrent (i = 1:n) reduce(+:s)        do concurrent (c = 0:63) local(s)
      s = s + a(i)                       -->     s = 0
    end do                                       do i = <piece c of 1:n>; s = s + a(i); end do
                                                 partial(c) = s
                                               end do
                                               do c = 0, 63; s = s + partial(c); end do

The number of pieces is fixed, so results never depend on the device's timing. Integers, logicals and
`if (x > s) s = x` give exactly what the order of the loop gives (a NaN never passes the test; of equal values the
first, or with `>=` the last, stays). Sums and products of reals, and max() of reals where NaNs may occur, can differ
from it, so they are cut up only where --fp allows that.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from polystencil.analysis.reductions import accumulated
from polystencil.codegen.array_elements import value_of
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.building import divided, integer, minus, plus, times
from polystencil.ir.program import Dimension, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import walk_statements
from polystencil.ir.types import INTEGER, Intrinsic
from polystencil.ir.typing import type_of

PIECES = "one work item for each piece"  # the directive of the loop over pieces
ON_CPU, ON_GPU = 64, 4096
FEWEST = 4096  # iterations that are worth it
_FLIPPED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
_INTRINSICS = ("max", "min", "iand", "ior", "ieor")


@dataclass(frozen=True)
class Joining:
    """How two partial results become one: `test` is the comparison `value OP s` of guarded extrema, else empty."""

    operator: str
    test: str


def in_pieces(
    loop: st.ParallelLoop, table: SymbolTable, procedure: str, number: int, reassociate: bool, cpu: bool
) -> st.Block | None:
    """The loop cut into pieces; None where it must run in order or is too small to gain."""
    joins = [_joining(loop.body, r, reassociate) for r in loop.reductions]
    position = _index_to_cut(loop)
    if position is None or None in joins or any(not _plain(r.ref, table) for r in loop.reductions):
        return None
    symbols: list[Symbol] = []

    def symbol(name: str, t: Intrinsic, shape: tuple[Dimension, ...] | None = None) -> Symbol:
        made = Symbol(f"{procedure}.{name}_{number}", f"{name}_{number}", t, shape, span=loop.span)
        table.symbols[made.id] = made
        table.owner[made.id] = procedure
        symbols.append(made)
        return made

    pieces = ON_CPU if cpu else ON_GPU
    index = loop.indices[position]
    t = type_of(index.ref)
    assert isinstance(t, Intrinsic)
    piece = x.Ref(symbol("piece", t).id, t)
    trips, length = (x.Ref(symbol(n, t).id, t) for n in ("trips", "piece_length"))
    after: list[st.Statement] = []
    start: list[st.Statement] = []
    keep: list[st.Statement] = []
    inherit: set[str] = set()
    joined = x.Ref(symbol("joined", INTEGER).id, INTEGER)
    for reduction, how in zip(loop.reductions, joins, strict=True):
        assert how is not None
        s = reduction.ref
        kind = type_of(s)
        assert isinstance(kind, Intrinsic)
        bounds = (Dimension(integer(0, INTEGER), integer(pieces - 1, INTEGER)),)
        partial = x.Ref(symbol(f"partial_{s.id.rsplit('.', 1)[-1]}", kind, bounds).id, kind, 1)
        first = _identity(how, kind)
        if first is None:
            inherit.add(s.id)
        else:
            start.append(st.Assign(s, first, span=loop.span))
        keep.append(st.Assign(x.Element(partial, (piece,)), s, span=loop.span))
        after.append(_join(how, s, x.Element(partial, (joined,)), loop))
    low = plus(index.lower, times(times(piece, length), index.step))
    ends = x.IntrinsicCall("min", (times(plus(piece, integer(1, t)), length), trips), t)
    high = plus(index.lower, times(minus(ends, integer(1, t)), index.step))
    inner = dataclasses.replace(
        loop, indices=(*loop.indices[:position], st.LoopIndex(index.ref, low, high, index.step),
                       *loop.indices[position + 1 :]), reductions=(),
    )  # fmt: skip
    own = tuple(dataclasses.replace(table.symbols[r.ref.id], attributes=frozenset(), initial=None, intent="", block=None)
                for r in loop.reductions)  # fmt: skip
    outer = st.ParallelLoop(
        (st.LoopIndex(piece, integer(0, t), integer(pieces - 1, t), integer(1, t)),), None, own, (),
        (*start, inner, *keep), "do", frozenset(inherit), name=f"pieces_{number}", directives=(PIECES,), span=loop.span,
    )  # fmt: skip
    count = divided(x.Paren(plus(minus(index.upper, index.lower), index.step)), x.Paren(index.step))
    none = x.IntrinsicCall("max", (count, integer(0, t)), t)
    body = (
        st.Assign(trips, none, span=loop.span),
        st.Assign(length, divided(x.Paren(plus(trips, integer(pieces - 1, t))), integer(pieces, t)), span=loop.span),
        outer,
        st.Do(joined, integer(0), integer(pieces - 1), integer(1), tuple(after), span=loop.span),
    )
    return st.Block(tuple(symbols), body, span=loop.span)


def _index_to_cut(loop: st.ParallelLoop) -> int | None:
    """The outermost index; None where the loop is known to be small or its steps are not known."""
    total: int | None = 1
    for index in loop.indices:
        t = type_of(index.ref)
        step = value_of(index.step)
        if not isinstance(t, Intrinsic) or t.kind < 4 or not step:
            return None
        low, high = value_of(index.lower), value_of(index.upper)
        trips = None if low is None or high is None else max(0, (high - low + step) // step)
        total = None if trips is None or total is None else total * trips
    return None if total is not None and total < FEWEST else 0


def _plain(ref: x.Ref, table: SymbolTable) -> bool:
    symbol = table.symbols[ref.id]
    unusual = {"pointer", "target", "volatile", "allocatable", "optional"}
    return symbol.shape is None and isinstance(symbol.type, Intrinsic) and not symbol.attributes & unusual


def _joining(body: st.Body, reduction: st.Reduction, reassociate: bool) -> Joining | None:
    """How partial results are joined so that nobody can tell (or as --fp allows); None where that is not known."""
    s = reduction.ref
    operator = accumulated(body, s.id)
    if operator is None or operator != reduction.operator:
        return None
    t = type_of(s)
    if not isinstance(t, Intrinsic) or t.base == "character":
        return None
    tests = _tests(body, s.id)
    if t.base not in ("real", "complex"):
        return Joining(operator, "")
    if operator in ("max", "min"):
        if tests == {""}:
            return Joining(operator, "") if reassociate else None
        return Joining(operator, next(iter(tests))) if len(tests) == 1 else None
    return Joining(operator, "") if reassociate else None


def _tests(body: st.Body, s: str) -> set[str]:
    """The comparisons `value OP s` that guard assignments to s; "" for an assignment without one."""
    found: set[str] = set()
    guarded: set[int] = set()
    for statement in walk_statements(body):
        if isinstance(statement, st.If) and len(statement.branches) == 1 and len(statement.branches[0].body) == 1:
            branch = statement.branches[0]
            test: x.Expression = branch.condition
            while isinstance(test, x.Paren):
                test = test.operand
            only = branch.body[0]
            if isinstance(only, st.Assign) and _is(only.target, s) and isinstance(test, x.Binary):
                if _is(test.right, s) and test.left == only.value:
                    found.add(test.operator)
                    guarded.add(id(only))
                elif _is(test.left, s) and test.right == only.value:
                    found.add(_FLIPPED.get(test.operator, ""))
                    guarded.add(id(only))
        if isinstance(statement, st.Assign) and _is(statement.target, s) and id(statement) not in guarded:
            found.add("")
    return found


def _is(e: x.Expression, s: str) -> bool:
    return isinstance(e, x.Ref) and e.id == s


def _identity(how: Joining, t: Intrinsic) -> x.Expression | None:
    """What a piece starts with; None for the value before the loop, which maxima, minima and the like may see twice."""
    if how.test in (">=", "<="):  # the last of equal values stays: a piece without one must not put the first back
        return x.Literal(float("-inf") if how.test == ">=" else float("inf"), t)
    if how.operator == "+":
        return x.Literal(0 if t.base == "integer" else -0.0 if t.base == "real" else complex(-0.0, -0.0), t)
    if how.operator == "*":
        return x.Literal(1 if t.base == "integer" else 1.0 if t.base == "real" else complex(1.0, 0.0), t)
    if how.operator == "ieor":
        return x.Literal(0, t)
    if how.operator in (".eqv.", ".neqv."):
        return x.Literal(how.operator == ".eqv.", t)
    return None


def _join(how: Joining, s: x.Ref, part: x.Expression, loop: st.ParallelLoop) -> st.Statement:
    t = type_of(s)
    if how.test:
        branch = st.Branch(x.Binary(how.test, part, s), (st.Assign(s, part, span=loop.span),), loop.span)
        return st.If((branch,), span=loop.span)
    if how.operator in _INTRINSICS:
        return st.Assign(s, x.IntrinsicCall(how.operator, (s, part), t), span=loop.span)
    return st.Assign(s, x.Binary(how.operator, s, part), span=loop.span)
