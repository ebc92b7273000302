"""From a producer and a consumer to the fused loop: every element read is the producer's expression at its subscripts.

    f(i) = q(i) - q(i - 1)          at f(i + 1):   (q(i + 1) - q(i + 1 - 1))
"""

from __future__ import annotations

import dataclasses

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import add_constant, minus, plus, value_of
from polystencil.ir.program import Dimension, Symbol
from polystencil.ir.traversal import map_body, map_body_expressions, map_expression
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.types import INTEGER
from polystencil.ir.typing import rank_of, type_of
from polystencil.polyhedral.bounds import dimensions_of
from polystencil.transforms.fusion_consumer import Renamed
from polystencil.transforms.fusion_producer import Definition, Producer, path_of


def fused_body(body: s.Body, producer: Producer, renamed: dict[str, x.Expression]) -> s.Body:
    """The consumer's body with elements of intermediate arrays computed, and writes to renamed arrays to the copy."""
    definitions = {d.path: d for d in producer.definitions}

    def compute(e: x.Expression) -> x.Expression:
        if isinstance(e, x.Element) and path_of(e.base) in definitions:
            return _value_at(definitions[path_of(e.base) or ""], e.indices)
        return e

    def rename(st: s.Statement) -> s.Body:
        if isinstance(st, s.Assign) and isinstance(st.target, x.Element) and path_of(st.target.base) in renamed:
            target = x.Element(renamed[path_of(st.target.base) or ""], st.target.indices)
            return (dataclasses.replace(st, target=target),)
        return (st,)

    return map_body(map_body_expressions(body, compute), rename)


def _value_at(d: Definition, subscripts: tuple[x.Expression, ...]) -> x.Expression:
    """The value that the producer gives the element at `subscripts`."""
    at: dict[str, x.Expression] = {}
    for position, index, sign, rest in d.solve:
        e = subscripts[position]
        distance = e if rest is None else minus(e, rest)
        at[index] = distance if sign == 1 else minus(x.Literal(0, type_of(e)), distance)  # type: ignore[arg-type]

    def substitute(n: x.Expression) -> x.Expression:
        if isinstance(n, x.Ref) and n.id in at:
            return _grouped(at[n.id])
        return _folded(n)

    value = map_expression(d.value, substitute)
    return value if isinstance(value, (x.Literal, x.Ref, x.Element, x.FunctionCall)) else x.Paren(value)


def _grouped(e: x.Expression) -> x.Expression:
    return e


def _folded(n: x.Expression) -> x.Expression:
    """Integer sums with constants taken together, so that subscripts stay index plus constant."""
    kind = getattr(type_of(n), "base", "") if isinstance(n, x.Binary) else ""
    if isinstance(n, x.Binary) and kind == "integer" and n.operator in "+-" and rank_of(n) == 0:
        if isinstance(n.right, x.Literal) and (v := value_of(n.right)) is not None:
            return add_constant(n.left, v if n.operator == "+" else -v)
    return n


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
    r: Renamed, copy: x.Ref, is_allocatable: bool, span_of: s.Statement, table: SymbolTable
) -> s.Statement:
    """Allocate the copy with the bounds of the array, if that is allocated."""
    known = dimensions_of(r.array, table)
    bounds = tuple(known) if known is not None else tuple(
        (bound("lbound", r.array, d), bound("ubound", r.array, d)) for d in range(rank_of(r.array))
    )  # fmt: skip
    allocate = s.Allocate((s.Allocation(copy, bounds),), span=span_of.span)
    if not is_allocatable:
        return allocate
    from polystencil.ir.types import LOGICAL

    test = x.IntrinsicCall("allocated", (r.array,), LOGICAL)
    return s.If((s.Branch(test, (allocate,), span_of.span),), span=span_of.span)


__all__ = ["allocate_copy", "copy_loop", "copy_symbol", "fused_body", "plus", "whole_copy"]
