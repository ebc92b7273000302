"""Copies of renamed arrays: declared, allocated, filled and copied back."""

from __future__ import annotations

import dataclasses

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Dimension, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_expression
from polystencil.ir.types import INTEGER, LOGICAL, Record
from polystencil.ir.typing import rank_of, type_of
from polystencil.polyhedral.bounds import dimensions_of
from polystencil.transforms.fusion_renaming import Renamed


def copy_loop(
    target: x.Expression, source: x.Expression, like: s.ParallelLoop, subscripts: tuple[x.Expression, ...], prefix: str
) -> s.ParallelLoop:
    """`target(subscripts) = source(subscripts)` over the iterations of `like`."""
    rename = {i.ref.id: f"{prefix}.{i.ref.id.rsplit('.', 1)[-1]}" for i in like.indices}
    own = tuple(Symbol(new, new.rsplit(".", 1)[-1], i.ref.type) for i, new in zip(like.indices, rename.values(), strict=True))

    def renamed(e: x.Expression) -> x.Expression:
        return dataclasses.replace(e, id=rename[e.id]) if isinstance(e, x.Ref) and e.id in rename else e

    indices = tuple(dataclasses.replace(i, ref=x.Ref(rename[i.ref.id], i.ref.type)) for i in like.indices)
    where = tuple(map_expression(e, renamed) for e in subscripts)
    assign = s.Assign(x.Element(target, where), x.Element(source, where), span=like.span)
    return s.ParallelLoop(indices, None, own, (), (assign,), "array", span=like.span)


def whole_copy(target: x.Expression, source: x.Expression, prefix: str, span_of: s.Statement) -> s.ParallelLoop:
    """`target = source`, element by element over all of `source`."""
    rank = rank_of(source)
    refs = [x.Ref(f"{prefix}.i{d + 1}", INTEGER) for d in range(rank)]
    own = tuple(Symbol(r.id, r.id.rsplit(".", 1)[-1], INTEGER) for r in refs)
    indices = tuple(
        s.LoopIndex(refs[d], bound("lbound", source, d), bound("ubound", source, d), x.Literal(1, INTEGER))
        for d in reversed(range(rank))
    )
    assign = s.Assign(x.Element(target, tuple(refs)), x.Element(source, tuple(refs)), span=span_of.span)
    return s.ParallelLoop(indices, None, own, (), (assign,), "array", span=span_of.span)


def bound(which: str, array: x.Expression, d: int) -> x.Expression:
    """lbound or ubound of dimension `d` (from 0)."""
    return x.IntrinsicCall(which, (array, x.Literal(d + 1, INTEGER)), INTEGER)


def copy_symbol(r: Renamed, prefix: str) -> Symbol:
    """The allocatable that takes a renamed array's place."""
    name = r.path.rsplit("%", 1)[-1].rsplit(".", 1)[-1]
    shape = (Dimension(None, None),) * rank_of(r.array)
    return Symbol(f"{prefix}.{name}_copy", f"{name}_copy", type_of(r.array), shape, frozenset({"allocatable"}))


def allocate_copy(
    r: Renamed, copy: x.Expression, span_of: s.Statement, table: SymbolTable
) -> s.Statement:
    """Allocate the copy with the bounds of the array, if that is allocated."""
    known = dimensions_of(r.array, table)
    bounds = tuple(known) if known is not None else tuple(
        (bound("lbound", r.array, d), bound("ubound", r.array, d)) for d in range(rank_of(r.array))
    )  # fmt: skip
    allocate = s.Allocate((s.Allocation(copy, bounds),), span=span_of.span)
    if not is_allocatable(r.array, table):
        return allocate
    test = x.IntrinsicCall("allocated", (r.array,), LOGICAL)
    return s.If((s.Branch(test, (allocate,), span_of.span),), span=span_of.span)


def is_allocatable(e: x.Expression, table: SymbolTable) -> bool:
    """Whether a whole variable or component is allocatable."""
    if isinstance(e, x.Ref):
        return "allocatable" in table.symbols[e.id].attributes
    if isinstance(e, x.Component):
        kind = type_of(e.base)
        definition = table.types.get(kind.id) if isinstance(kind, Record) else None
        component = next((c for c in definition.components if c.name == e.field), None) if definition else None
        return component is not None and "allocatable" in component.attributes
    return False
