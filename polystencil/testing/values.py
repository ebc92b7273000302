"""Arithmetic of the oracle: Fortran's operators and intrinsic functions on Python numbers."""

from __future__ import annotations

import math

from polystencil.testing.views import NotEnumerable

Number = int | float | bool


def converted(v: Number, to: object) -> Number:
    """A number in another type."""
    base = getattr(to, "base", "")
    return int(v) if base == "integer" else float(v) if base == "real" else v


def binary_value(operator: str, a: Number, b: Number) -> Number:
    """The value of a binary operation; integers divide towards zero."""
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/" if isinstance(a, int) and isinstance(b, int):
            if b == 0:
                raise NotEnumerable("a division by zero")
            return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        case "/":
            return a / b if b else math.inf
        case "**":
            return a**b if abs(a) < 100 and 0 <= b < 9 else 0
        case "==" | ".eqv.":
            return a == b
        case "/=" | ".neqv.":
            return a != b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case ">=":
            return a >= b
        case ".and.":
            return bool(a) and bool(b)
        case ".or.":
            return bool(a) or bool(b)
        case _:
            raise NotEnumerable(operator)


def intrinsic_value(name: str, v: list[Number]) -> Number:
    """The value of an elemental intrinsic function."""
    match name:
        case "min":
            return min(v)
        case "max":
            return max(v)
        case "abs":
            return abs(v[0])
        case "mod" if isinstance(v[0], int):
            if v[1] == 0:
                raise NotEnumerable("a division by zero")
            return abs(v[0]) % abs(v[1]) * (1 if v[0] >= 0 else -1)
        case "modulo" if isinstance(v[0], int):
            return v[0] % v[1]
        case "merge":
            return v[0] if v[2] else v[1]
        case "dim":
            return max(v[0] - v[1], 0)
        case "sqrt":
            return math.sqrt(abs(v[0]))
        case _:
            raise NotEnumerable(name)
