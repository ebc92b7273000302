"""From numbers to text under an edit descriptor: I, B, O, Z, F, E, D, EN, ES, G and L, exactly as gfortran edits them.

Decimal digits are exact (of the binary value, rounded once), as the C library's printf gives them to gfortran.
"""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

_CONTEXT = decimal.Context(prec=2600, Emin=-9999, Emax=9999)
_ROUNDING = {
    "RU": decimal.ROUND_CEILING, "RD": decimal.ROUND_FLOOR, "RZ": decimal.ROUND_DOWN, "RN": decimal.ROUND_HALF_EVEN,
    "RC": decimal.ROUND_HALF_UP, "RP": decimal.ROUND_HALF_EVEN,
}  # fmt: skip


@dataclass
class Modes:
    """The changeable modes of an edit: scale factor, sign (S, SP, SS), rounding, decimal symbol, blanks."""

    scale: int = 0
    plus: bool = False
    rounding: str = "RP"
    comma: bool = False
    blank_zero: bool = False


def stars(width: int) -> bytes:
    return b"*" * width


def integer_text(value: Any, width: int | None, least: int | None, modes: Modes) -> bytes:
    """I editing; width None takes the natural width of the kind, 0 the least."""
    n = int(value)
    digits = str(abs(n))
    if least is not None:
        digits = "" if least == 0 and n == 0 else digits.rjust(least, "0")
    text = ("-" if n < 0 else "+" if modes.plus and digits else "") + digits
    if width is None:
        width = {1: 5, 2: 8, 4: 12, 8: 23}[value.dtype.itemsize]
    if width == 0:
        return text.encode()
    return stars(width) if len(text) > width else text.rjust(width).encode()


def radix_text(value: Any, code: str, width: int | None, least: int | None) -> bytes:
    """B, O and Z editing of the bits of any number."""
    raw = value.tobytes() if not isinstance(value, bytes) else value
    bits = int.from_bytes(raw, "little" if not isinstance(value, bytes) else "big")
    digits = format(bits, {"B": "b", "O": "o", "Z": "X"}[code])
    if least is not None:
        digits = "" if least == 0 and bits == 0 else digits.rjust(least, "0")
    if not width:
        return digits.encode()
    return stars(width) if len(digits) > width else digits.rjust(width).encode()


def logical_text(value: Any, width: int | None) -> bytes:
    return (b"T" if value else b"F").rjust(width or 1)


def _special(x: float, width: int, plus: bool) -> bytes:
    """Infinities and NaN."""
    if math.isnan(x):
        return b"NaN" if width == 0 else b"NaN".rjust(width) if width >= 3 else stars(width)
    mark = "-" if x < 0 else "+" if plus else ""
    if width == 0:
        return (mark + "Inf").encode()
    text = mark + ("Infinity" if width >= 8 + len(mark) else "Inf")
    return stars(width) if len(text) > width else text.rjust(width).encode()


def _fixed(x: float, digits: int, scale: int, rounding: str) -> str:
    """|x| * 10**scale with that many digits after the point."""
    if scale == 0 and rounding in ("RP", "RN"):
        return f"{abs(x):.{digits}f}"
    mode = rounding
    if x < 0:
        mode = {"RU": "RD", "RD": "RU"}.get(rounding, rounding)
    exact = _CONTEXT.scaleb(decimal.Decimal(abs(x)), scale)
    step = decimal.Decimal(1).scaleb(-digits)
    rounded = exact.quantize(step, rounding=_ROUNDING[mode], context=_CONTEXT)
    return f"{rounded:f}"


def significant(x: float, count: int, rounding: str = "RP") -> tuple[str, int]:
    """`count` significant decimal digits of |x| and the exponent e of 0.ddd * 10**e (0 for zero)."""
    if x == 0:
        return "0" * max(count, 0), 0
    if count <= 0:
        return "", decimal.Decimal(abs(x)).adjusted() + 1
    if rounding in ("RP", "RN"):
        mantissa, _, exponent_text = f"{abs(x):.{count - 1}e}".partition("e")
        return mantissa.replace(".", ""), int(exponent_text) + 1
    exact = decimal.Decimal(abs(x))
    mode = {"RU": "RD", "RD": "RU"}.get(rounding, rounding) if x < 0 else rounding
    exponent = exact.adjusted() + 1
    rounded = exact.quantize(decimal.Decimal(1).scaleb(exponent - count), rounding=_ROUNDING[mode], context=_CONTEXT)
    digits = "".join(str(d) for d in rounded.as_tuple().digits)
    if len(digits) > count:
        return digits[:count], exponent + 1
    return digits, exponent


def _point(text: str, modes: Modes) -> str:
    return text.replace(".", ",") if modes.comma else text


def _sign(x: float, modes: Modes) -> str:
    return "-" if math.copysign(1.0, x) < 0 else "+" if modes.plus else ""


def fixed_text(value: Any, width: int, digits: int, modes: Modes, scale: int | None = None) -> bytes:
    """F editing; width 0 takes what is needed."""
    x = float(value)
    if not math.isfinite(x):
        return _special(x, width, modes.plus)
    text = _fixed(x, digits, modes.scale if scale is None else scale, modes.rounding)
    if digits == 0:
        text += "."
    mark = _sign(x, modes)
    if text.startswith("0.") and digits > 0 and (width == 0 or len(mark) + len(text) > width):
        text = text[1:]
    text = _point(mark + text, modes)
    if width == 0:
        return text.encode()
    return stars(width) if len(text) > width else text.rjust(width).encode()


def _exponent_text(exponent: int, letter: str, digits: int | None, minimal: bool) -> str | None:
    """E+dd; None where it does not fit. `digits` None: two, or three without the letter."""
    size = abs(exponent)
    mark = "-" if exponent < 0 else "+"
    if digits is None and not minimal:
        if size > 999:
            return None
        return f"{mark}{size:03}" if size > 99 else f"{letter}{mark}{size:02}"
    if not digits and size == 0:
        return ""
    text = str(size) if not digits else f"{size:0{digits}}"
    if digits and len(text) > digits:
        return None
    return f"{letter}{mark}{text}"


def exponential_text(
    value: Any, code: str, width: int, digits: int, exponent_digits: int | None, modes: Modes
) -> bytes:
    """E, D, EN and ES editing; width 0 takes what is needed, with the shortest exponent."""
    x = float(value)
    if not math.isfinite(x):
        return _special(x, width, modes.plus)
    if code == "ES":
        figures, exponent = significant(x, digits + 1, modes.rounding)
        whole, part, shown = figures[:1], figures[1:], exponent - 1 if x else 0
    elif code == "EN":
        whole, part, shown = _engineering(x, digits, modes.rounding)
    else:
        scale = modes.scale
        if scale > 0:
            figures, exponent = significant(x, digits + 1, modes.rounding)
            whole, part = figures[:scale], figures[scale:]
        else:
            figures, exponent = significant(x, digits + scale, modes.rounding)
            whole, part = "0", "0" * -scale + figures
        shown = exponent - scale if x else 0
    tail = _exponent_text(shown, "D" if code == "D" else "E", exponent_digits, width == 0 and not exponent_digits)
    if tail is None:
        return stars(width or 1)
    mark = _sign(x, modes)
    text = mark + whole + "." + part + tail
    if whole == "0" and part and len(text) > width > 0:
        text = mark + "." + part + tail
    text = _point(text, modes)
    if width == 0:
        return text.encode()
    return stars(width) if len(text) > width else text.rjust(width).encode()


def _engineering(x: float, digits: int, rounding: str) -> tuple[str, str, int]:
    """Whole part of one to three digits, fraction, and an exponent that is a multiple of three."""
    if x == 0:
        return "0", "0" * digits, 0
    power = decimal.Decimal(abs(x)).adjusted() // 3 * 3
    text = _fixed(x, digits, -power, "RN" if rounding == "RP" else rounding)
    whole, _, part = text.partition(".")
    if len(whole) > 3:
        return whole[:-3], part, power + 3
    return whole, part, power


def _power_of_ten(n: int, real: Any) -> Any:
    """10**n as gfortran's run-time library computes it, by repeated multiplication."""
    result = real(1)
    for _ in range(abs(n)):
        result = result * real(10)
    return real(1) / result if n < 0 else result


def _places_before_point(value: Any, digits: int, rounding: str) -> int | None:
    """How many of `digits` significant digits stand before the point in G editing; None for the E form.

    The comparisons are those of the run-time library, in the value's own precision.
    """
    real = type(value)
    m, power = abs(value), _power_of_ten(digits, real)
    share = {"RZ": 1.0 if value < 0 else 0.0, "RU": 0.0 if value < 0 else 1.0, "RD": 1.0 if value < 0 else 0.0}
    r = real(share.get(rounding, 0.5))
    cut = real(1) - r / power
    if m < real(0.1) * cut or (r < 1 and r >= power - m) or (r == 1 and power - m < 1):
        return None
    for places in range(digits + 1):
        if m < _power_of_ten(places, real) * cut:
            return places
    return digits


def general_text(
    value: Any, width: int, digits: int, exponent_digits: int | None, modes: Modes, as_list: bool = False
) -> bytes:
    """G editing of a real: F where the magnitude allows, with blanks in place of the exponent, else E.

    `as_list`: list-directed output, where the E form has one digit less behind the point.
    """
    x = float(value)
    if not math.isfinite(x):
        return _special(x, width, modes.plus)
    before = 1 if x == 0 else _places_before_point(value, digits, modes.rounding)
    if before is None:
        return exponential_text(value, "E", width, digits - (1 if as_list else 0), exponent_digits, modes)
    blanks = 0 if width == 0 else exponent_digits + 2 if exponent_digits else 4
    if width and blanks >= width:
        blanks = width - 1
    inner = fixed_text(value, max(width - blanks, 0), max(digits - before, 0), modes, scale=0)
    if width == 0 and inner.lstrip(b"-+").startswith(b".") and digits > 0:
        inner = inner.replace(b".", b"0.", 1)
    return inner + b" " * blanks


def parts_of(value: Any) -> tuple[Any, Any]:
    """Real and imaginary part of a complex number."""
    return value.real, value.imag


def is_single(value: Any) -> bool:
    return value.dtype in (np.float32, np.complex64)


LIST_REAL = {True: (16, 9, 2), False: (25, 17, 3)}
