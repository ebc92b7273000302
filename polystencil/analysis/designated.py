"""Which variable, and which part of it, a designator names."""

from __future__ import annotations

from polystencil.ir import expressions as x


def base_id(e: x.Expression) -> str | None:
    """The variable that a designator is a part of."""
    while isinstance(e, (x.Element, x.Section, x.Component, x.Substring, x.Paren)):
        e = e.operand if isinstance(e, x.Paren) else e.base
    return e.id if isinstance(e, x.Ref) else None


def designated_path(e: x.Expression) -> str | None:
    """`variable%component%...` of a designator, without subscripts."""
    match e:
        case x.Ref():
            return e.id
        case x.Component():
            base = designated_path(e.base)
            return None if base is None else f"{base}%{e.field}"
        case x.Element() | x.Section() | x.Substring():
            return designated_path(e.base)
        case _:
            return None
