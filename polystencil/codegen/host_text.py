"""Python text of constants and types in generated host programs."""

from __future__ import annotations

import math

from polystencil.codegen.arguments import NUMPY_NAMES
from polystencil.errors import UnsupportedError
from polystencil.ir.expressions import Value
from polystencil.ir.types import Intrinsic, Type


def numpy_name(t: Intrinsic) -> str:
    """int32, float64, bool_, ..."""
    if t.base == "logical":
        return "bool_"
    if (t.base, t.kind) not in NUMPY_NAMES:
        raise UnsupportedError(f"{t.base}({t.kind}) is not supported", hint="use a kind of at most 8 bytes")
    return NUMPY_NAMES[t.base, t.kind]


def dtype_text(t: Type) -> str:
    """The dtype of an intrinsic type as the host program names it; character stands without length."""
    if not isinstance(t, Intrinsic):
        return "None"
    return "fortran.text" if t.base == "character" else f"fortran.{numpy_name(t)}"


def real_text(value: float) -> str:
    """A Python float expression."""
    if math.isnan(value):
        return "float('nan')"
    if math.isinf(value):
        return "float('inf')" if value > 0 else "float('-inf')"
    return repr(value)


def literal_text(value: Value, t: Type) -> str:
    """A constant with its type."""
    if isinstance(value, bytes):
        return repr(value)
    assert isinstance(t, Intrinsic)
    if t.base == "logical":
        return "np.True_" if value else "np.False_"
    if t.base == "integer":
        return f"np.{numpy_name(t)}({int(value.real)})"
    if t.base == "real":
        return f"np.{numpy_name(t)}({real_text(float(value.real))})"
    number = complex(value)
    return f"np.{numpy_name(t)}(complex({real_text(number.real)}, {real_text(number.imag)}))"
