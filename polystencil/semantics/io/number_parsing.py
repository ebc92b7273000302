"""From text to numbers, as formatted and list-directed input reads them."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np

from polystencil.semantics.exact import rounded

_REAL = re.compile(rb"([+-]?)(\d*)\.?(\d*)(?:[eEdDqQ]([+-]?\d+)|([+-]\d+))?$")
_SPECIAL = re.compile(rb"([+-]?)(inf|infinity|nan(\(\w*\))?)$", re.IGNORECASE)


def parse_integer(text: bytes, dtype: np.dtype[Any]) -> Any:
    """A signed integer; None when it is none or does not fit."""
    if not re.fullmatch(rb"[+-]?\d+", text):
        return None
    value, limits = int(text), np.iinfo(dtype)
    return dtype.type(value) if limits.min <= value <= limits.max else None


def parse_real(text: bytes, dtype: np.dtype[Any], implied_digits: int = 0, scale: int = 0) -> Any:
    """A real; `implied_digits` count where there is no point, `scale` (P) where there is no exponent."""
    if m := _SPECIAL.match(text):
        value = float("nan") if m.group(2).lower().startswith(b"nan") else float("inf")
        return dtype.type(-value if m.group(1) == b"-" else value)
    m = _REAL.match(text)
    if m is None or not (m.group(2) or m.group(3)):
        return None
    given = m.group(4) or m.group(5)
    exponent = int(given or 0)
    if b"." not in text:
        exponent -= implied_digits
    if given is None:
        exponent -= scale
    sign, whole, part = (m.group(k).decode() for k in (1, 2, 3))
    return rounded_real(f"{sign}{whole or '0'}.{part or '0'}e{exponent}", dtype)


def rounded_real(text: str, dtype: np.dtype[Any]) -> Any:
    """Decimal text in a real type, rounded once."""
    if dtype != np.float32:
        return dtype.type(float(text))
    if abs(int(text.partition("e")[2] or 0)) > 400:  # no exact rational of thousands of digits
        return np.float32(float(text))
    return rounded(Fraction(text), dtype)


def parse_logical(text: bytes) -> Any:
    """T, F, .true., .false. with anything behind the letter; None for other text."""
    letter = text.lstrip(b".")[:1].upper()
    return {b"T": np.True_, b"F": np.False_}.get(letter)
