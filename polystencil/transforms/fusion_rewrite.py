"""From a producer and a consumer to the fused loop: every element read is the producer's expression at its subscripts.

    f(i) = q(i) - q(i - 1)          at f(i + 1):   (q(i + 1) - q(i + 1 - 1))
"""

from __future__ import annotations

import dataclasses

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import FALSE, add_constant, value_of
from polystencil.ir.program import Symbol
from polystencil.ir.traversal import (
    map_body,
    map_body_expressions,
    map_expression,
    map_statement,
    walk_expression,
    walk_statements,
)
from polystencil.ir.typing import rank_of, type_of
from polystencil.transforms.fusion_choice import Choices
from polystencil.transforms.fusion_definition import Definition, indices_at
from polystencil.transforms.fusion_paths import path_of
from polystencil.transforms.fusion_producer import Producer
from polystencil.transforms.fusion_refusal import NotFused


def fused_body(
    body: s.Body, producer: Producer, prefix: str, choices: Choices | None = None
) -> tuple[s.Body, tuple[Symbol, ...]]:
    """The consumer's body with elements of intermediate arrays computed where it reads them, and variables made for
    that."""
    fuser = _Fuser({d.path: d for d in producer.definitions}, prefix, choices or Choices())
    return fuser.body(body), tuple(fuser.symbols)


class _Fuser:
    """Replaces reads by expressions, or by variables that a program in front of the statement computes."""

    def __init__(self, definitions: dict[str, Definition], prefix: str, choices: Choices) -> None:
        self.definitions, self.prefix, self.choices = definitions, prefix, choices
        self.symbols: list[Symbol] = []
        self.count = 0

    def body(self, body: s.Body) -> s.Body:
        return tuple(self.statement(st) for st in body)

    def statement(self, st: s.Statement) -> s.Statement:
        if isinstance(st, s.If):
            st = self.first_condition_alone(st)
        if isinstance(st, s.Assign) and isinstance(st.target, x.Ref) and isinstance(st.value, x.Element):
            chosen = self.chosen(st, st.value)
            if chosen is not None:
                return chosen
        before: list[s.Statement] = []
        declared: list[Symbol] = []
        known: dict[x.Expression, x.Expression] = {}

        def compute(e: x.Expression) -> x.Expression:
            d = self.definitions.get(path_of(e.base) or "") if isinstance(e, x.Element) else None
            if d is None or not isinstance(e, x.Element):
                return e
            condition = self.condition(e, d)
            if condition == FALSE:
                return e
            if condition is not None:
                if e not in known:
                    known[e] = self.tested(d, e, before, declared)
                return known[e]
            if not d.program:
                return _value_at(d, e.indices)
            if e not in known:
                known[e] = self.instance(d, e.indices, before, declared)
            return known[e]

        new = map_statement(st, lambda e: map_expression(e, compute), self.body)
        if not before:
            return new
        return s.Block(tuple(declared), (*before, new), span=st.span)

    def condition(self, e: x.Element, d: Definition) -> x.Expression | None:
        """When an element is the producer's: None always, FALSE never."""
        if d.path not in self.choices.paths:
            return None
        if not self.choices.knows(e):
            raise NotFused("a subscript of an intermediate array reads an intermediate array")
        return self.choices.condition(e, d)

    def chosen(self, st: s.Assign, e: x.Element) -> s.Statement | None:
        """A variable that takes an element, by branches of its own: no other variable is needed."""
        d = self.definitions.get(path_of(e.base) or "")
        condition = self.condition(e, d) if d is not None else None
        if d is None or condition is None or condition == FALSE:
            return None
        declared: list[Symbol] = []
        inner: list[s.Statement] = []
        value = self.instance(d, e.indices, inner, declared) if d.program else _value_at(d, e.indices)
        inner.append(dataclasses.replace(st, value=value.operand if isinstance(value, x.Paren) else value))
        body: s.Body = (s.Block(tuple(declared), tuple(inner), span=st.span),) if declared else tuple(inner)
        return s.If((s.Branch(condition, body, st.span),), (st,), span=st.span)

    def tested(
        self, d: Definition, e: x.Element, before: list[s.Statement], declared: list[Symbol]
    ) -> x.Ref:
        """A variable that is the producer's value where it writes the element, and the element elsewhere."""
        self.count += 1
        kind = type_of(e)
        symbol = Symbol(f"{self.prefix}.v{self.count}.value", f"{d.path.rsplit('%', 1)[-1].rsplit('.', 1)[-1]}_value", kind)
        declared.append(symbol)
        self.symbols.append(symbol)
        ref = x.Ref(symbol.id, kind)
        assign = s.Assign(ref, e, span=d.span)
        made = self.chosen(assign, e)
        before.append(assign if made is None else made)
        return ref

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
        at = indices_at(d, subscripts)
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


def _value_at(d: Definition, subscripts: tuple[x.Expression, ...]) -> x.Expression:
    """The value that the producer gives the element at `subscripts`."""
    at = indices_at(d, subscripts)

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
