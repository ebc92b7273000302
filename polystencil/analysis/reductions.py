"""Scalars that a loop only accumulates into: `s = s + e`, `s = max(s, e)`, `if (e > s) s = e`, ..."""

from __future__ import annotations

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.traversal import child_expressions, nested_bodies, walk_expression
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of

_INTRINSICS = {"max": "max", "min": "min", "iand": "iand", "ior": "ior", "ieor": "ieor"}


def accumulated(body: s.Body, id: str) -> str | None:
    """The operator with which every statement that names the scalar accumulates into it; None if one does not."""
    found: set[str | None] = set()
    _collect(body, id, found)
    if len(found) != 1:
        return None
    return next(iter(found))


def _collect(body: s.Body, id: str, found: set[str | None]) -> None:
    for st in body:
        guarded = _guarded_extremum(st, id)
        if guarded is not None:
            found.add(guarded)
            continue
        if isinstance(st, s.Assign) and isinstance(st.target, x.Ref) and st.target.id == id:
            found.add(_operator(st.value, id))
            continue
        if any(_names(e, id) for e in child_expressions(st)):
            found.add(None)
        for inner in nested_bodies(st):
            _collect(inner, id, found)


def _names(e: x.Expression, id: str) -> bool:
    return any(isinstance(n, x.Ref) and n.id == id for n in walk_expression(e))


def _operator(value: x.Expression, id: str) -> str | None:
    """The operator of `id op e` or `e op id`, also deep on the left of a sum: `id + a - b`."""
    match value:
        case x.Binary() if value.operator in ("+", "*", ".and.", ".or.", ".eqv.", ".neqv."):
            if _is(value.left, id) and not _names(value.right, id):
                return value.operator
            if _is(value.right, id) and not _names(value.left, id):
                return value.operator
            if value.operator in ("+", "*") and not _names(value.right, id):
                return value.operator if _chain(value.left, id) in (value.operator,) else None
        case x.Binary() if value.operator == "-" and not _names(value.right, id):
            if _is(value.left, id) or _chain(value.left, id) == "+":
                return "+"
        case x.IntrinsicCall() if value.name in _INTRINSICS:
            inside = [a for a in value.arguments if a is not None]
            own = [a for a in inside if _is(a, id)]
            if len(own) == 1 and sum(_names(a, id) for a in inside) == 1:
                return _INTRINSICS[value.name]
        case _:
            pass
    return None


def _chain(e: x.Expression, id: str) -> str | None:
    if isinstance(e, x.Binary) and e.operator in ("+", "-", "*") and not _names(e.right, id):
        kind = "*" if e.operator == "*" else "+"
        if _is(e.left, id) or _chain(e.left, id) == kind:
            return kind
    return None


def _is(e: x.Expression, id: str) -> bool:
    return isinstance(e, x.Ref) and e.id == id


def _guarded_extremum(st: s.Statement, id: str) -> str | None:
    """`if (e > s) s = e` is a maximum (with the same treatment of ties: equal values are equal)."""
    if not isinstance(st, s.If) or len(st.branches) != 1 or st.otherwise:
        return None
    branch = st.branches[0]
    body = branch.body
    if len(body) != 1 or not isinstance(body[0], s.Assign) or not _is(body[0].target, id):
        return None
    value, test = body[0].value, branch.condition
    while isinstance(test, x.Paren):
        test = test.operand
    kind = type_of(value)
    if not isinstance(test, x.Binary) or not isinstance(kind, Intrinsic) or _names(value, id):
        return None
    if test.left == value and _is(test.right, id):
        return {">": "max", ">=": "max", "<": "min", "<=": "min"}.get(test.operator)
    if test.right == value and _is(test.left, id):
        return {"<": "max", "<=": "max", ">": "min", ">=": "min"}.get(test.operator)
    return None


def is_exact(operator: str, scalar: x.Ref) -> bool:
    """Whether the order of accumulation cannot show: integers, logicals, and extrema of reals."""
    t = type_of(scalar)
    real = isinstance(t, Intrinsic) and t.base in ("real", "complex")
    return not real or operator in ("max", "min")
