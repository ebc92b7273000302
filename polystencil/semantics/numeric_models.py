"""Numeric inquiry and manipulation functions: huge, epsilon, spacing, nearest, exponent, fraction, kinds, ..."""

from __future__ import annotations

from typing import Any

import numpy as np


def _info(dtype: np.dtype[Any]) -> np.finfo[Any]:
    return np.finfo(np.float32 if dtype in (np.float32, np.complex64) else np.float64)


def inquire(name: str, dtype: np.dtype[Any]) -> Any:
    """digits, epsilon, huge, maxexponent, minexponent, precision, radix, range, tiny or bit_size of a type."""
    if dtype.kind == "i":
        limit = np.iinfo(dtype)
        bits = 8 * dtype.itemsize
        return {
            "huge": dtype.type(limit.max), "digits": np.int32(bits - 1), "radix": np.int32(2),
            "range": np.int32(len(str(limit.max)) - 1), "bit_size": dtype.type(bits),
        }[name]  # fmt: skip
    info = _info(dtype)
    single = info.dtype == np.float32
    return {
        "huge": info.max, "tiny": info.tiny, "epsilon": info.eps, "radix": np.int32(2),
        "digits": np.int32(24 if single else 53), "precision": np.int32(6 if single else 15),
        "range": np.int32(37 if single else 307), "maxexponent": np.int32(128 if single else 1024),
        "minexponent": np.int32(-125 if single else -1021),
    }[name]  # fmt: skip


def kind_of(dtype: np.dtype[Any], logical_kind: int = 4) -> np.int32:
    """kind() of a value of this type; the kind of a logical is not in its dtype."""
    if dtype.kind == "b":
        return np.int32(logical_kind)
    if dtype.kind == "S":
        return np.int32(1)
    return np.int32(dtype.itemsize // (2 if dtype.kind == "c" else 1))


def selected_int_kind(digits: Any) -> np.int32:
    for kind, most in ((1, 2), (2, 4), (4, 9), (8, 18), (16, 38)):
        if digits <= most:
            return np.int32(kind)
    return np.int32(-1)


def selected_real_kind(precision: Any = None, exponent_range: Any = None, radix: Any = None) -> np.int32:
    """The kind that gfortran answers, also where it is one that polystencil refuses."""
    p = 0 if precision is None else int(precision)
    r = 0 if exponent_range is None else int(exponent_range)
    if radix is not None and int(radix) != 2:
        return np.int32(-5)
    for kind, digits, decades in ((4, 6, 37), (8, 15, 307), (10, 18, 4931), (16, 33, 4931)):
        if p <= digits and r <= decades:
            return np.int32(kind)
    return np.int32(-1 if r <= 4931 else (-2 if p <= 33 else -3))


def selected_char_kind(name: bytes) -> np.int32:
    return np.int32({b"ASCII": 1, b"DEFAULT": 1, b"ISO_10646": 4}.get(name.strip().upper(), -1))


def exponent(x: Any) -> Any:
    """exponent(x); huge(0) for an infinity or NaN."""
    out = np.where(np.isfinite(x), np.frexp(x)[1], np.int32(2147483647)).astype(np.int32)
    return out if out.shape else np.int32(out)


def fraction(x: Any) -> Any:
    return np.frexp(x)[0]


def scale(x: Any, i: Any) -> Any:
    """x * 2**i, rounded once."""
    return np.ldexp(x, np.clip(i, -5000, 5000).astype(np.int32)).astype(x.dtype)


def set_exponent(x: Any, i: Any) -> Any:
    return np.where(x == 0, x, scale(np.frexp(x)[0], i)).astype(x.dtype)[()]


def spacing(x: Any) -> Any:
    info = _info(x.dtype)
    digits = 24 if info.dtype == np.float32 else 53
    e = np.maximum(np.frexp(x)[1] - digits, int(info.minexp) + 0)
    out = np.where(x == 0, info.tiny, np.ldexp(x.dtype.type(1), e)).astype(x.dtype)
    return np.maximum(out, info.tiny)[()]


def rrspacing(x: Any) -> Any:
    digits = 24 if x.dtype == np.float32 else 53
    return np.ldexp(np.abs(np.frexp(x)[0]), np.int32(digits)).astype(x.dtype)


def nearest(x: Any, s: Any) -> Any:
    """The neighbour of x in the direction of the sign of s."""
    towards = np.where(np.signbit(s), -np.inf, np.inf).astype(x.dtype)
    return np.nextafter(x, towards)
