"""An instance of a function's body: its locals renamed, its dummies replaced by what they stand for."""

from __future__ import annotations

import dataclasses

from polystencil.analysis.definitions import base_id, defined_in
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_body, map_body_expressions, map_expression, walk_expression, walk_statements
from polystencil.ir.types import INTEGER, Intrinsic
from polystencil.transforms.inlinable import ArrayMapping, asked_dimension
from polystencil.transforms.inline_refusal import NotInlined
from polystencil.transforms.inline_sections import SectionMapping


def stands_for(actual: x.Expression, dummy: Symbol, procedure: Procedure) -> bool:
    """Whether a scalar argument may take the dummy's place wherever that is read.

    Constants, variables and elements do (a pure function changes none of the caller's), and integer arithmetic on
    them; anything else is evaluated once into a variable.
    """
    if any(base_id(st.target) == dummy.id for st in walk_statements(procedure.body) if isinstance(st, s.Assign)):
        return False
    if any(isinstance(st, s.Do) and st.index.id == dummy.id for st in walk_statements(procedure.body)):
        return False
    integer = isinstance(dummy.type, Intrinsic) and dummy.type.base == "integer"
    for node in walk_expression(actual):
        match node:
            case x.Literal() | x.NamedConstant() | x.Ref() | x.Element() | x.Component():
                pass
            case x.Binary() | x.Unary() | x.Paren():
                inside_subscript = node is not actual and not integer
                if not integer and not inside_subscript:
                    return False
            case _:
                return False
    return True


def instantiate(
    body: s.Body,
    renamed: dict[str, str],
    scalars: dict[str, x.Expression],
    arrays: dict[str, ArrayMapping | SectionMapping],
    prefix: str,
) -> s.Body:
    """`body` with variables renamed, scalar and array dummies replaced, constructs and block variables made unique."""
    blocks = {v.id: f"{prefix}.{v.id.rsplit('.', 1)[-1]}" for st in walk_statements(body) if isinstance(st, s.Block)
              for v in st.declarations}  # fmt: skip
    names = {**renamed, **blocks}

    def expression(e: x.Expression) -> x.Expression:
        match e:
            case x.Ref() if e.id in scalars:
                return _grouped(scalars[e.id])
            case x.Ref() if e.id in names:
                return dataclasses.replace(e, id=names[e.id])
            case x.Element() if isinstance(e.base, x.Ref) and e.base.id in arrays:
                return _moved(e, arrays[e.base.id])
            case x.IntrinsicCall() if e.name in ("size", "lbound", "ubound"):
                return _bound(e, arrays)
            case x.FunctionCall():
                return dataclasses.replace(e, arguments=tuple(_argument(a, arrays) for a in e.arguments))
            case _:
                return e

    def statement(st: s.Statement) -> s.Body:
        match st:
            case s.Block():
                declarations = tuple(
                    dataclasses.replace(v, id=names[v.id], attributes=v.attributes - {"save"}) for v in st.declarations
                )
                return (dataclasses.replace(st, declarations=declarations, name=_construct(st.name, prefix)),)
            case s.Do() | s.DoWhile():
                return (dataclasses.replace(st, name=_construct(st.name, prefix)),)
            case s.Exit() | s.Cycle():
                return (dataclasses.replace(st, target=_construct(st.target, prefix)),)
            case _:
                return (st,)

    return map_body(map_body_expressions(body, expression), statement)


def _construct(name: str, prefix: str) -> str:
    return f"{prefix}.{name}" if name else ""


def _grouped(e: x.Expression) -> x.Expression:
    return x.Paren(e) if isinstance(e, (x.Binary, x.Unary)) and not _integer(e) else e


def _integer(e: x.Expression) -> bool:
    from polystencil.ir.typing import type_of

    t = type_of(e)
    return isinstance(t, Intrinsic) and t.base == "integer"


def _moved(e: x.Element, to: ArrayMapping | SectionMapping) -> x.Expression:
    """The caller's element: every subscript shifted by the difference of the lower bounds."""
    if isinstance(to, SectionMapping):
        return to.element(e.indices)
    indices = tuple(
        _shifted(i, own, base) for i, own, base in zip(e.indices, to.lower, to.base_lower, strict=True)
    )
    return x.Element(to.base, indices)


def _shifted(i: x.Expression, own: x.Expression, base: x.Expression) -> x.Expression:
    if own == base:
        return i
    if isinstance(own, (x.Literal, x.NamedConstant)) and isinstance(base, (x.Literal, x.NamedConstant)):
        distance = int(base.value) - int(own.value)  # type: ignore[arg-type]  # bounds are integers
        if distance == 0:
            return i
        sign = "+" if distance > 0 else "-"
        return x.Binary(sign, i, x.Literal(abs(distance), INTEGER))
    return x.Binary("+", x.Binary("-", i, own), base)


def _bound(e: x.IntrinsicCall, arrays: dict[str, ArrayMapping | SectionMapping]) -> x.Expression:
    array, dim = e.arguments[0], asked_dimension(e)
    if not isinstance(array, x.Ref) or array.id not in arrays:
        return e
    to = arrays[array.id]
    if not isinstance(dim, x.Literal) or not isinstance(dim.value, int):
        raise NotInlined("it asks for all bounds of an array")
    if isinstance(to, SectionMapping):
        return to.bound(e.name, dim.value - 1)
    lower = to.lower[dim.value - 1]
    if e.name == "lbound":
        return lower
    size = x.IntrinsicCall("size", (to.base, dim), INTEGER)
    if e.name == "size":
        return size
    return x.Binary("-", x.Binary("+", lower, size), x.Literal(1, INTEGER))


def _argument(a: x.Expression | None, arrays: dict[str, ArrayMapping | SectionMapping]) -> x.Expression | None:
    """A whole array dummy passed on: only where the bounds that the next function sees stay the same."""
    if isinstance(a, x.Ref) and a.rank and a.id in arrays:
        to = arrays[a.id]
        return to.section if isinstance(to, SectionMapping) else to.base
    return a


def ids_defined(body: s.Body, table: SymbolTable) -> frozenset[str]:
    """What an instance defines."""
    return defined_in(body, table).ids


def rewritten(e: x.Expression, f: dict[str, x.Expression]) -> x.Expression:
    """`e` with variables replaced."""
    return map_expression(e, lambda n: f.get(n.id, n) if isinstance(n, x.Ref) else n)
