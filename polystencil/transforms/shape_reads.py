"""What an expression reads for its value, and which arrays it only asks for their bounds."""

from __future__ import annotations

from polystencil.analysis.definitions import base_id
from polystencil.ir import expressions as x
from polystencil.ir.traversal import child_expressions, walk_expression
from polystencil.transforms.fusion_producer import variables_in

_BOUNDS = ("size", "lbound", "ubound", "shape")


def _asks_bounds(e: x.Expression) -> bool:
    return isinstance(e, x.IntrinsicCall) and e.name in _BOUNDS and isinstance(e.arguments[0], (x.Ref, x.Component))


def values_read(e: x.Expression) -> set[str]:
    """Paths of the variables whose values an expression reads: not those of arrays that it asks for their bounds."""
    if isinstance(e, x.IntrinsicCall) and _asks_bounds(e):
        out: set[str] = set()
        inner = e.arguments[0]
        while isinstance(inner, (x.Component, x.Element)):
            if isinstance(inner, x.Element):
                for i in inner.indices:
                    out |= values_read(i)
            inner = inner.base
        for a in e.arguments[1:]:
            out |= set() if a is None else values_read(a)
        return out
    if isinstance(e, (x.Component, x.Element, x.Section, x.Ref)):
        return variables_in(e)
    return {v for child in child_expressions(e) for v in values_read(child)}


def shapes_read(e: x.Expression) -> set[str]:
    """Ids of the variables whose bounds, or those of a component, an expression asks for."""
    asked = (n.arguments[0] for n in walk_expression(e) if isinstance(n, x.IntrinsicCall) and _asks_bounds(n))
    return {id for a in asked if a is not None and (id := base_id(a)) is not None}
