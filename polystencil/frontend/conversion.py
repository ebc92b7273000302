"""Numeric conversion of typed expressions: explicit `Convert` nodes, constants converted at once when exact."""

from __future__ import annotations

import struct
from typing import Any, TypeGuard

from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic, Type

NUMERIC = ("integer", "real", "complex")


_ORDER = {"integer": 0, "real": 1, "complex": 2}


def single(value: float) -> float:
    """`value` rounded to single precision."""
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def is_numeric(t: Type) -> TypeGuard[Intrinsic]:
    """Whether `t` is integer, real or complex."""
    return isinstance(t, Intrinsic) and t.base in NUMERIC


def common_type(a: Intrinsic, b: Intrinsic) -> Intrinsic:
    """The type in which two numbers meet."""
    if a.base == b.base:
        return a if a.kind >= b.kind else b
    if _ORDER[a.base] < _ORDER[b.base]:
        a, b = b, a
    if b.base == "integer":
        return a
    return Intrinsic(a.base, max(a.kind, b.kind))


def fits_integer(value: int, kind: int) -> bool:
    """Whether an integer kind holds `value`."""
    limit = 1 << (8 * kind - 1)
    return -limit <= value < limit


def _exact(value: Any, source: Intrinsic, target: Intrinsic) -> Any | None:
    """`value` in `target` when nothing is lost, else None."""
    if source.base == "integer":
        if target.base == "integer":
            return value if fits_integer(value, target.kind) else None
        if abs(value) > 2**53 or (target.kind == 4 and single(value) != value):
            return None
        return float(value) if target.base == "real" else complex(float(value), 0.0)
    if source.base == "real":
        if target.base == "integer":
            return None
        if target.kind == 4 and source.kind != 4 and single(value) != value:
            return None
        return value if target.base == "real" else complex(value, 0.0)
    if source.base == "complex" and target.base == "complex" and target.kind >= source.kind:
        return value
    return None


def same_type(a: Type, b: Type) -> bool:
    """Equality but for character lengths."""
    if isinstance(a, Intrinsic) and isinstance(b, Intrinsic):
        return a.base == b.base and a.kind == b.kind
    return a == b


def convert(e: x.Expression, source: Type, target: Type) -> x.Expression:
    """`e` of type `source` as `target`; both are numbers, or both logical."""
    if same_type(source, target) or not (isinstance(source, Intrinsic) and isinstance(target, Intrinsic)):
        return e
    if isinstance(e, x.Literal) and not isinstance(e.value, (bool, bytes)):
        value = _exact(e.value, source, target)
        if value is not None:
            return x.Literal(value, target)
    elif isinstance(e, x.Unary) and e.operator == "-" and isinstance(e.operand, x.Literal):
        inner = convert(e.operand, source, target)
        if isinstance(inner, x.Literal):
            return x.Unary("-", inner)
    elif isinstance(e, x.ArrayConstructor):
        items = tuple(convert(item, source, target) for item in e.items if not isinstance(item, x.ImpliedDo))
        if len(items) == len(e.items) and not any(isinstance(i, x.Convert) for i in items):
            return x.ArrayConstructor(items, target)
    return x.Convert(e, target)


def literal(value: Any, t: Intrinsic) -> x.Literal:
    """A constant from an exact Python or NumPy value."""
    match t.base:
        case "integer":
            return x.Literal(int(value), t)
        case "real":
            return x.Literal(float(value), t)
        case "complex":
            return x.Literal(complex(value), t)
        case "logical":
            return x.Literal(bool(value), t)
        case _:
            return x.Literal(bytes(value), t)
