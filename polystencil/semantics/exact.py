"""From exact rationals to reals with one rounding: what a compiler's own arithmetic and its reading of digits give."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np


def rounded(exact: Fraction, dtype: np.dtype[Any]) -> Any:
    """The nearest real of a type, ties to even; an infinity where it is too large."""
    try:
        wide = float(exact)  # rounds correctly
    except OverflowError:
        wide = float("inf") if exact > 0 else float("-inf")
    if dtype != np.float32:
        return dtype.type(wide)
    with np.errstate(all="ignore"):
        near = np.float32(wide)
    if not np.isfinite(near) or wide == float(near):
        return near
    # a detour over double precision can round twice: the neighbour on the other side may be nearer
    other = np.nextafter(near, np.float32(np.inf if Fraction(float(near)) < exact else -np.inf))
    if not np.isfinite(other):
        return near
    here, there = abs(Fraction(float(near)) - exact), abs(Fraction(float(other)) - exact)
    return other if there < here else near
