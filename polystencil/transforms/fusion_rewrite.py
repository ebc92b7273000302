"""From a producer and a consumer to the fused loop: every element read is the producer's expression at its subscripts.

    f(i) = q(i) - q(i - 1)          at f(i + 1):   (q(i + 1) - q(i + 1 - 1))
"""

from __future__ import annotations

import dataclasses

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import add_constant, minus, plus, value_of
from polystencil.ir.program import Dimension, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import (
    map_body,
    map_body_expressions,
    map_expression,
    map_statement,
    walk_expression,
    walk_statements,
)
from polystencil.ir.types import INTEGER
from polystencil.ir.typing import rank_of, type_of
from polystencil.polyhedral.bounds import dimensions_of
from polystencil.transforms.fusion_definition import Definition
from polystencil.transforms.fusion_paths import path_of
from polystencil.transforms.fusion_producer import Producer
from polystencil.transforms.fusion_renaming import Renamed


def fused_body(body: s.Body, producer: Producer, prefix: str) -> tuple[s.Body, tuple[Symbol, ...]]:
    """The consumer's body with elements of intermediate arrays computed where it reads them, and variables made for
    that."""
    fuser = _Fuser({d.path: d for d in producer.definitions}, prefix)
    return fuser.body(body), tuple(fuser.symbols)


class _Fuser:
    """Replaces reads by expressions, or by variables that a program in front of the statement computes."""

    def __init__(self, definitions: dict[str, Definition], prefix: str) -> None:
        self.definitions, self.prefix = definitions, prefix
        self.symbols: list[Symbol] = []
        self.count = 0

    def body(self, body: s.Body) -> s.Body:
        return tuple(self.statement(st) for st in body)

    def statement(self, st: s.Statement) -> s.Statement:
        if isinstance(st, s.If):
            st = self.first_condition_alone(st)
        before: list[s.Statement] = []
        declared: list[Symbol] = []
        known: dict[x.Expression, x.Expression] = {}

        def compute(e: x.Expression) -> x.Expression:
            d = self.definitions.get(path_of(e.base) or "") if isinstance(e, x.Element) else None
            if d is None or not isinstance(e, x.Element):
                return e
            if not d.program:
                return _value_at(d, e.indices)
            if e not in known:
                known[e] = self.instance(d, e.indices, before, declared)
            return known[e]

        new = map_statement(st, lambda e: map_expression(e, compute), self.body)
        if not before:
            return new
        return s.Block(tuple(declared), (*before, new), span=st.span)

    def first_condition_alone(self, st: s.If) -> s.If:
        """Later conditions that read an intermediate array move into the else of the first."""
        for k, branch in enumerate(st.branches[1:], start=1):
            if any(isinstance(e, x.Element) and path_of(e.base) in self.definitions
                   for e in walk_expression(branch.condition)):  # fmt: skip
                rest = s.If(st.branches[k:], st.otherwise, span=branch.span)
                return dataclasses.replace(st, branches=st.branches[:k], otherwise=(rest,))
        return st

    def instance(
        self, d: Definition, subscripts: tuple[x.Expression, ...], before: list[s.Statement], declared: list[Symbol]
    ) -> x.Ref:
        """A copy of the program that computes one element, with variables of its own."""
        self.count += 1
        own = f"{self.prefix}.v{self.count}"
        at = _indices_at(d, subscripts)
        inner = [v for p in walk_statements(d.program) if isinstance(p, s.Block) for v in p.declarations]
        loop_private = {
            p.target.id: p.target for p in walk_statements(d.program)
            if isinstance(p, s.Assign) and isinstance(p.target, x.Ref)
        }  # fmt: skip
        rename = {v.id: f"{own}.{v.id.rsplit('.', 1)[-1]}" for v in inner}
        for id, ref in loop_private.items():
            if id not in rename:
                name = ref.id.rsplit(".", 1)[-1]
                symbol = Symbol(f"{own}.{name}", name, ref.type)
                if d.result is not None and id == d.result.id:
                    symbol = Symbol(f"{own}.value", d.result.name, ref.type)
                rename[id] = symbol.id
                declared.append(symbol)
                self.symbols.append(symbol)

        def expression(e: x.Expression) -> x.Expression:
            if isinstance(e, x.Ref) and e.id in at:
                return at[e.id]
            if isinstance(e, x.Ref) and e.id in rename:
                return dataclasses.replace(e, id=rename[e.id])
            return _folded(e)

        def statement(p: s.Statement) -> s.Body:
            if isinstance(p, s.Block):
                blocks = tuple(dataclasses.replace(v, id=rename[v.id]) for v in p.declarations)
                self.symbols += blocks
                return (dataclasses.replace(p, declarations=blocks),)
            return (p,)

        before += map_body(map_body_expressions(d.program, expression), statement)
        if d.result is None:
            raise TypeError("a program has a result")
        return x.Ref(rename[d.result.id], d.result.type)


def _indices_at(d: Definition, subscripts: tuple[x.Expression, ...]) -> dict[str, x.Expression]:
    """The producer's iteration that assigns the element at `subscripts`."""
    at: dict[str, x.Expression] = {}
    for position, index, sign, rest in d.solve:
        e = subscripts[position]
        distance = e if rest is None else minus(e, rest)
        at[index] = distance if sign == 1 else minus(x.Literal(0, type_of(e)), distance)
    return at


def _value_at(d: Definition, subscripts: tuple[x.Expression, ...]) -> x.Expression:
    """The value that the producer gives the element at `subscripts`."""
    at = _indices_at(d, subscripts)

    def substitute(n: x.Expression) -> x.Expression:
        if isinstance(n, x.Ref) and n.id in at:
            return at[n.id]
        return _folded(n)

    value = map_expression(d.value, substitute)
    return value if isinstance(value, (x.Literal, x.Ref, x.Element, x.FunctionCall)) else x.Paren(value)


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
