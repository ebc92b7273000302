"""Bit intrinsics on two's complement integers of every kind; all are elemental."""

from __future__ import annotations

from typing import Any

import numpy as np

_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def _bits(x: Any) -> int:
    return 8 * int(x.dtype.itemsize)


def _unsigned(x: Any) -> np.ndarray[Any, Any]:
    return np.asarray(x).view(_UNSIGNED[x.dtype.itemsize])


def _signed(u: Any, like: Any) -> Any:
    out = np.asarray(u).astype(_UNSIGNED[like.dtype.itemsize]).view(like.dtype)
    return out if out.shape else out[()]


def _shift_left(u: Any, n: Any, bits: int) -> Any:
    n = np.asarray(n).astype(np.int64)
    amount = np.minimum(n, bits - 1).astype(u.dtype)
    return np.where(n >= bits, u.dtype.type(0), u << amount)


def _shift_right(u: Any, n: Any, bits: int) -> Any:
    n = np.asarray(n).astype(np.int64)
    amount = np.minimum(n, bits - 1).astype(u.dtype)
    return np.where(n >= bits, u.dtype.type(0), u >> amount)


def shiftl(i: Any, shift: Any) -> Any:
    return _signed(_shift_left(_unsigned(i), shift, _bits(i)), i)


def shiftr(i: Any, shift: Any) -> Any:
    return _signed(_shift_right(_unsigned(i), shift, _bits(i)), i)


def shifta(i: Any, shift: Any) -> Any:
    """Arithmetic shift to the right."""
    return i >> np.minimum(shift, _bits(i) - 1).astype(i.dtype)


def ishft(i: Any, shift: Any) -> Any:
    """Logical shift, to the left for positive shifts."""
    u, n, bits = _unsigned(i), np.asarray(shift).astype(np.int64), _bits(i)
    left, right = _shift_left(u, np.maximum(n, 0), bits), _shift_right(u, np.maximum(-n, 0), bits)
    return _signed(np.where(n >= 0, left, right), i)


def ishftc(i: Any, shift: Any, size: Any = None) -> Any:
    """Circular shift of the rightmost `size` bits."""
    bits = _bits(i)
    width = np.asarray(bits if size is None else size).astype(np.int64)
    u, n = _unsigned(i), np.asarray(shift).astype(np.int64) % width
    mask = _shift_left(np.ones_like(u), width, bits) - u.dtype.type(1)
    low = u & mask
    turned = _shift_left(low, n, bits) | _shift_right(low, width - n, bits)
    return _signed((u & ~mask) | (turned & mask), i)


def _mask(like: Any, length: Any) -> Any:
    u = _unsigned(like)
    return _shift_left(np.ones_like(u), length, _bits(like)) - u.dtype.type(1)


def ibits(i: Any, pos: Any, length: Any) -> Any:
    return _signed(_shift_right(_unsigned(i), pos, _bits(i)) & _mask(i, length), i)


def ibset(i: Any, pos: Any) -> Any:
    return i | shiftl(i.dtype.type(1), pos)


def ibclr(i: Any, pos: Any) -> Any:
    return i & ~shiftl(i.dtype.type(1), pos)


def btest(i: Any, pos: Any) -> Any:
    return shiftr(i, pos) & i.dtype.type(1) != 0


def _per_element(function: Any, i: Any) -> Any:
    u = _unsigned(i)
    out = np.array([function(int(v)) for v in u.ravel(order="F")], np.int32)
    return out.reshape(u.shape, order="F") if u.shape else out[0]


def popcnt(i: Any) -> Any:
    return _per_element(int.bit_count, i)


def poppar(i: Any) -> Any:
    return _per_element(lambda v: v.bit_count() & 1, i)


def leadz(i: Any) -> Any:
    bits = _bits(i)
    return _per_element(lambda v: bits - v.bit_length(), i)


def trailz(i: Any) -> Any:
    bits = _bits(i)
    return _per_element(lambda v: (v & -v).bit_length() - 1 if v else bits, i)


def maskl(n: Any, dtype: np.dtype[Any]) -> Any:
    bits = 8 * dtype.itemsize
    zero = np.zeros(np.shape(n), dtype)
    return _signed(~_mask(zero, bits - np.asarray(n).astype(np.int64)), zero)


def maskr(n: Any, dtype: np.dtype[Any]) -> Any:
    zero = np.zeros(np.shape(n), dtype)
    return _signed(_mask(zero, n), zero)


def merge_bits(i: Any, j: Any, mask: Any) -> Any:
    return (i & mask) | (j & ~mask)


def dshiftl(i: Any, j: Any, shift: Any) -> Any:
    return shiftl(i, shift) | shiftr(j, _bits(i) - shift)


def dshiftr(i: Any, j: Any, shift: Any) -> Any:
    return shiftl(i, _bits(i) - shift) | shiftr(j, shift)


def unsigned_compare(name: str, i: Any, j: Any) -> Any:
    """bge, bgt, ble, blt: comparison as unsigned numbers."""
    a, b = _unsigned(i), _unsigned(j)
    out = {"bge": a >= b, "bgt": a > b, "ble": a <= b, "blt": a < b}[name]
    return out if np.shape(out) else np.bool_(out)


def mvbits(source: Any, from_pos: Any, length: Any, to: Any, to_pos: Any) -> Any:
    """The new value of `to` after call mvbits(source, from_pos, length, to, to_pos)."""
    field = shiftl(_signed(_mask(to, length), to), to_pos)
    return (to & ~field) | (shiftl(shiftr(source, from_pos), to_pos) & field)
