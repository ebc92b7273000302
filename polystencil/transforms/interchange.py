"""interchange and tile: perfect do nests in another order of their levels, or in rectangular tiles.

    do j = 1, m                       do i = 1, n
      do i = 1, n            -->        do j = 1, m
        a(i, j) = a(i, j - 1)             a(i, j) = a(i, j - 1)

    do i = 1, n              -->      do i_tile = 1, n, 32
      ...                               do i = i_tile, min(i_tile + 31, n)

Asked for by schedules only; `proofs.permutation` decides. A do concurrent nest may run in any order, so its header is
permuted without asking.
"""

from __future__ import annotations

import dataclasses

from polystencil.analysis.definitions import Invariance, defined_in
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import add_constant, integer, value_of
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.typing import type_of
from polystencil.polyhedral.model import build_model
from polystencil.proofs.permutation import may_permute, may_tile
from polystencil.proofs.verdicts import Proven, Unknown, Verdict
from polystencil.transforms.loop_scalars import loop_scalars


def perfect_nest(st: s.Do) -> tuple[s.Do, ...]:
    """The loops of a perfect nest, outermost first."""
    out = [st]
    while len(out[-1].body) == 1 and isinstance(out[-1].body[0], s.Do):
        out.append(out[-1].body[0])
    return tuple(out)


def interchanged(
    st: s.Do, order: tuple[int, ...], procedure: Procedure, table: SymbolTable
) -> tuple[s.Statement | None, Verdict]:
    """The nest with its levels in `order`, or None with the verdict that stands against it."""
    nest = perfect_nest(st)[: len(order)]
    verdict = _asked(nest, procedure, table, lambda m, loops, private: may_permute(m, loops, order, table, private))
    if not isinstance(verdict, Proven):
        return None, verdict
    body = nest[-1].body
    for k in reversed(order):
        body = (dataclasses.replace(nest[k], body=body),)
    return body[0], verdict


def tiled(
    st: s.Do, sizes: tuple[int, ...], procedure: Procedure, table: SymbolTable, prefix: str
) -> tuple[s.Statement | None, Verdict]:
    """The nest in rectangular tiles of `sizes` iterations a level, or None with the verdict against it."""
    nest = perfect_nest(st)[: len(sizes)]
    if any(value_of(loop.step) != 1 for loop in nest):
        return None, Unknown("tiles keep the order", "the step of a loop is not one", st.span)
    verdict = _asked(nest, procedure, table, lambda m, loops, private: may_tile(m, loops, table, private))
    if not isinstance(verdict, Proven):
        return None, verdict
    body = nest[-1].body
    symbols: list[Symbol] = []
    starts: list[x.Ref] = []
    for loop in nest:
        name = f"{loop.index.id.rsplit('.', 1)[-1]}_tile"
        symbols.append(Symbol(f"{prefix}.{name}", name, loop.index.type))
        starts.append(x.Ref(symbols[-1].id, loop.index.type))
    for loop, size, start in reversed(list(zip(nest, sizes, starts, strict=True))):
        end = x.IntrinsicCall("min", (add_constant(start, size - 1), loop.upper), type_of(loop.upper))
        body = (dataclasses.replace(loop, lower=start, upper=end, body=body),)
    for loop, size, start in reversed(list(zip(nest, sizes, starts, strict=True))):
        body = (s.Do(start, loop.lower, loop.upper, integer(size, type_of(loop.step)), body, span=loop.span),)
    return s.Block(tuple(symbols), body, span=st.span), verdict


def _asked(nest: tuple[s.Do, ...], procedure: Procedure, table: SymbolTable, ask) -> Verdict:  # type: ignore[no-untyped-def]  # a claim
    outer = nest[0]
    keeps = Invariance(table, defined_in((outer,), table), procedure.id)
    for loop in nest[1:]:
        if not all(keeps(e) for e in (loop.lower, loop.upper, loop.step)):
            return Unknown("the levels can change places", "a bound of an inner loop depends on an outer one", loop.span)
    model = build_model((outer,), table, procedure.id)
    loops = tuple(next(l for l in model.loops if l.statement is loop) for loop in nest)
    scalars = loop_scalars(model, loops[-1], nest[-1].body, table)
    private = frozenset(scalars.private) | {loop.index.id for loop in nest}
    return ask(model, loops, private)  # type: ignore[no-any-return]  # a verdict
