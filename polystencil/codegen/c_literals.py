"""Constants in C: exact to the last bit, with the suffix of their type."""

from __future__ import annotations

import math
from typing import cast

from polystencil.ir.expressions import Value
from polystencil.ir.types import Intrinsic


def literal(value: Value, t: Intrinsic) -> str:
    """A constant of type `t`; negative ones stand in parentheses."""
    if t.base == "logical":
        return "1" if value else "0"
    if t.base == "integer":
        return _integer(int(cast(int, value)), t.kind)
    if t.base == "real":
        return _real(float(cast(float, value)), t.kind)
    number = complex(cast(complex, value))
    return f"ps_c{t.kind}({_real(number.real, t.kind)}, {_real(number.imag, t.kind)})"


def _integer(value: int, kind: int) -> str:
    if kind == 8:
        if value == -(2**63):
            return "(-9223372036854775807L - 1)"
        text = f"{value}L"
    elif value == -(2**31):
        return "(-2147483647 - 1)"
    else:
        text = str(value)
    return f"({text})" if value < 0 else text


def _real(value: float, kind: int) -> str:
    suffix = "f" if kind == 4 else ""
    if math.isnan(value):
        return "((float)NAN)" if kind == 4 else "((double)NAN)"
    if math.isinf(value):
        text = "((float)INFINITY)" if kind == 4 else "((double)INFINITY)"
        return text if value > 0 else f"(-{text})"
    text = f"{value:.9g}" if kind == 4 else repr(value)
    if "." not in text and "e" not in text:
        text += ".0"
    text += suffix
    return f"({text})" if text.startswith("-") else text
