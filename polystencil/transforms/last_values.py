"""From a proven do nest to a parallel loop after which the program finds the same values in its scalars.

    do i = 1, n                    do concurrent (i = 1:n)
      t = a(i)                       block; real :: t; t = a(i); b(i) = 2*t
      b(i) = 2*t           -->         if (i == n) t_last(1) = t
    end do                           end block
    print *, i, t                  end do
                                   if (1 <= n) t = t_last(1);  i = max(1, n + 1)
"""

from __future__ import annotations

import dataclasses

from polystencil.analysis.definitions import Invariance, defined_in
from polystencil.analysis.liveness import live_after
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Dimension, Procedure, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_body_expressions, walk_body_expressions
from polystencil.ir.types import INTEGER
from polystencil.polyhedral.accesses import LoopModel
from polystencil.proofs.privacy import surely_written
from polystencil.transforms.loop_scalars import LoopScalars

ONE = x.Literal(1, INTEGER)


class NotKept(Exception):
    """A value that is read later could not be kept; the message says which and why."""


def parallel_loop_keeping_values(
    st: s.Do,
    indices: tuple[s.LoopIndex, ...],
    body: s.Body,
    name: str,
    scalars: LoopScalars,
    outer_scalars: LoopScalars,
    model: LoopModel,
    procedure: Procedure,
    table: SymbolTable,
    number: int,
) -> s.Body:
    """The statements that take the place of the nest `st`, whose merged indices, innermost body and its loop's name are given."""
    keeps = Invariance(table, defined_in((st,), table), procedure.id)
    rename: dict[str, str] = {}
    locals_: list[Symbol] = []
    index_ids = [i.ref.id for i in indices]
    private = [id for id in scalars.private if id not in index_ids]
    for id in (*index_ids, *private):
        symbol = table.symbols[id]
        own = f"{procedure.id}.par{number}.{symbol.name}"
        rename[id] = own
        locals_.append(
            dataclasses.replace(symbol, id=own, attributes=frozenset(), intent="", initial=None, block=None, offset=0)
        )

    def renamed(e: x.Expression) -> x.Expression:
        return dataclasses.replace(e, id=rename[e.id]) if isinstance(e, x.Ref) and e.id in rename else e

    live_indices = [i for i in indices if live_after(st, i.ref.id, procedure, table)]
    live = [id for id in private if live_after(st, id, procedure, table)]
    _check_other_privates(st, outer_scalars, (*index_ids, *private), procedure, table)
    if (live or live_indices) and not all(keeps(e) for i in indices for e in (i.lower, i.upper, i.step)):
        raise NotKept("a bound changes inside the loop, and the values after it are read later")
    inner_body = map_body_expressions(body, renamed)
    before: list[Symbol] = []
    after: list[s.Statement] = []
    for id in live:
        symbol = table.symbols[id]
        if symbol.id in table.symbols and not isinstance(symbol.type, type(INTEGER)):
            raise NotKept(f"the value of {symbol.name} after the loop is read later")
        if not _written_in_all(len(indices) - 1, id, model):
            raise NotKept(f"the value of {symbol.name} after the loop is read later, and not every iteration writes it")
        last = Symbol(
            f"{procedure.id}.par{number}.{symbol.name}_last", f"{symbol.name}_last", symbol.type,
            (Dimension(None, ONE),), frozenset(), span=symbol.span,
        )  # fmt: skip
        before.append(last)
        cell = x.Element(x.Ref(last.id, last.type, 1), (ONE,))
        at_last = _all(tuple(x.Binary("==", renamed(i.ref), _last(i)) for i in indices))
        keep = s.Assign(cell, renamed(x.Ref(id, symbol.type)), span=st.span)
        inner_body = (*inner_body, s.If((s.Branch(at_last, (keep,), st.span),), span=st.span))
        after.append(s.Assign(x.Ref(id, symbol.type), cell, span=st.span))
    ran = _all(tuple(_runs(i) for i in indices))
    if after:
        after = [s.If((s.Branch(ran, tuple(after), st.span),), span=st.span)]
    for k, i in enumerate(live_indices):
        value = s.Assign(i.ref, _beyond(i), span=st.span)
        outer = [j for j in indices if index_ids.index(j.ref.id) < index_ids.index(i.ref.id)]
        if outer:
            test = _all(tuple(_runs(j) for j in outer))
            after.append(s.If((s.Branch(test, (value,), st.span),), span=st.span))
        else:
            after.insert(k, value)
    reductions = tuple(
        s.Reduction(op, x.Ref(id, table.symbols[id].type)) for id, op in outer_scalars.reductions.items()
    )
    loop = s.ParallelLoop(
        tuple(dataclasses.replace(i, ref=renamed(i.ref)) for i in indices),  # type: ignore[arg-type]  # a Ref stays one
        None, tuple(locals_), reductions, inner_body, "do", name=name, directives=st.directives, span=st.span,
    )  # fmt: skip
    new: s.Body = (loop, *after)
    return (s.Block(tuple(before), new, span=st.span),) if before else new


def _check_other_privates(
    st: s.Do, outer: LoopScalars, handled: tuple[str, ...], procedure: Procedure, table: SymbolTable
) -> None:
    """Scalars that are private to the outer loop alone (indices of loops that stay inside) must be dead afterwards."""
    for id in outer.private:
        if id not in handled and live_after(st, id, procedure, table):
            raise NotKept(f"the value of {table.symbols[id].name} after the loop is read later")


def _written_in_all(position: int, id: str, model: LoopModel) -> bool:
    """Whether every iteration of the merged loops, of which the innermost stands at `position`, writes the scalar."""
    inner = model.loops[position]
    writes = [a for a in model.accesses if a.array == id and a.is_write and a.loops[position : position + 1] == (inner,)]
    return surely_written(inner, writes, model.domains[inner.number][0])


def _minus(a: x.Expression, b: x.Expression) -> x.Expression:
    if isinstance(a, x.Literal) and isinstance(b, x.Literal):
        return x.Literal(int(a.value) - int(b.value), a.type)  # type: ignore[arg-type]  # integers
    return x.Binary("-", a, b)


def _plus(a: x.Expression, b: x.Expression) -> x.Expression:
    if isinstance(a, x.Literal) and isinstance(b, x.Literal):
        return x.Literal(int(a.value) + int(b.value), a.type)  # type: ignore[arg-type]  # integers
    return x.Binary("+", a, b)


def _unit(i: s.LoopIndex) -> bool:
    return isinstance(i.step, x.Literal) and i.step.value == 1


def _trips(i: s.LoopIndex) -> x.Expression:
    return x.Binary("/", x.Paren(_plus(_minus(i.upper, i.lower), i.step)), i.step)


def _last(i: s.LoopIndex) -> x.Expression:
    """The index of the last iteration of a loop that runs."""
    if _unit(i):
        return i.upper
    return _plus(i.lower, x.Binary("*", x.Binary("/", x.Paren(_minus(i.upper, i.lower)), i.step), i.step))


def _beyond(i: s.LoopIndex) -> x.Expression:
    """The value of the do variable after the loop (Fortran 2018, 11.1.7.4.3)."""
    if _unit(i):
        return x.IntrinsicCall("max", (i.lower, _plus(i.upper, ONE)), i.ref.type)
    trips = x.IntrinsicCall("max", (_trips(i), x.Literal(0, i.ref.type)), i.ref.type)
    return x.Binary("+", i.lower, x.Binary("*", trips, i.step))


def _runs(i: s.LoopIndex) -> x.Expression:
    if _unit(i):
        return x.Binary("<=", i.lower, i.upper)
    return x.Binary(">", _trips(i), x.Literal(0, i.ref.type))


def _all(tests: tuple[x.Expression, ...]) -> x.Expression:
    out = tests[0]
    for t in tests[1:]:
        out = x.Binary(".and.", out, t)
    return out


def names_in(body: s.Body) -> set[str]:
    """Ids of the variables that a body names."""
    return {e.id for e in walk_body_expressions(body) if isinstance(e, x.Ref)}
