"""Reductions of arrays: in element order, one element after the other, in the kind of the array.

`dim` counts from 1, None when absent; `mask` is a scalar or an array of the same shape, None when absent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError
from polystencil.semantics.arithmetic import multiply


def _axis(array: Any, dim: Any) -> int:
    axis = int(dim) - 1
    if not 0 <= axis < array.ndim:
        raise FortranRuntimeError(f"dim={int(dim)} for an array of rank {array.ndim}")
    return axis


def _flat(array: Any, mask: Any) -> Any:
    flat = array.ravel(order="F")
    if mask is None:
        return flat
    return flat[np.broadcast_to(mask, array.shape).ravel(order="F")]


def _fold(array: Any, dim: Any, mask: Any, start: Any, step: Callable[[Any, Any], Any]) -> Any:
    """Fold along one dimension: `step(accumulated, next plane)`, masked-out elements leave it as it is."""
    axis = _axis(array, dim)
    planes = np.moveaxis(array, axis, 0)
    masks = None if mask is None else np.moveaxis(np.broadcast_to(mask, array.shape), axis, 0)
    total = np.full(planes.shape[1:], start, np.asarray(start).dtype)
    for k in range(planes.shape[0]):
        new = step(total, planes[k])
        total = new if masks is None else np.where(masks[k], new, total)
    return total if total.shape else total[()]


def total(array: Any, dim: Any = None, mask: Any = None) -> Any:
    """sum()."""
    zero = array.dtype.type(0)
    if dim is None or array.ndim == 1:
        flat = _flat(array, mask)
        return zero + np.add.accumulate(flat, dtype=array.dtype)[-1] if flat.size else zero
    return _fold(array, dim, mask, zero, lambda a, b: a + b)


def product(array: Any, dim: Any = None, mask: Any = None) -> Any:
    """product()."""
    one = array.dtype.type(1)
    if dim is None or array.ndim == 1:
        flat = _flat(array, mask)
        if not flat.size:
            return one
        if array.dtype.kind == "c":
            out = one
            for item in flat:
                out = out * item
            return out
        return np.multiply.accumulate(flat, dtype=array.dtype)[-1]
    return _fold(array, dim, mask, one, multiply)


def _extreme(array: Any, dim: Any, mask: Any, most: bool) -> Any:
    if array.dtype.kind == "S":
        from polystencil.semantics.characters import text_extreme

        return text_extreme(_flat(array, mask), most)
    if array.dtype.kind == "f":
        limit = np.finfo(array.dtype).min if most else np.finfo(array.dtype).max
        ufunc: np.ufunc = np.fmax if most else np.fmin
    else:
        limit = array.dtype.type(np.iinfo(array.dtype).min if most else np.iinfo(array.dtype).max)
        ufunc = np.maximum if most else np.minimum

    def one(flat: Any) -> Any:
        return ufunc.reduce(flat) if flat.size else limit

    if dim is None or array.ndim == 1:
        return one(_flat(array, mask))
    return _along(array, dim, mask, one, array.dtype)


def _along(array: Any, dim: Any, mask: Any, one: Callable[[Any], Any], dtype: Any) -> Any:
    """`one` of every line along `dim`, of its unmasked elements."""
    axis = _axis(array, dim)
    lines = np.moveaxis(array, axis, -1)
    masks = None if mask is None else np.moveaxis(np.broadcast_to(mask, array.shape), axis, -1)
    out = np.empty(lines.shape[:-1], dtype, order="F")
    for index in np.ndindex(out.shape):
        line = lines[index]
        out[index] = one(line if masks is None else line[masks[index]])
    return out


def maxval(array: Any, dim: Any = None, mask: Any = None) -> Any:
    """maxval(): NaN counts only where all are NaN; the most negative number for no elements."""
    return _extreme(array, dim, mask, True)


def minval(array: Any, dim: Any = None, mask: Any = None) -> Any:
    """minval(), see `maxval`."""
    return _extreme(array, dim, mask, False)


def _locate(array: Any, dim: Any, mask: Any, back: Any, find: Callable[[Any, Any, bool], int]) -> Any:
    last = back is not None and bool(back)
    full = np.broadcast_to(True if mask is None else mask, array.shape)
    if dim is None:
        place = find(array.ravel(order="F"), full.ravel(order="F"), last)
        if place < 0:
            return np.zeros(array.ndim, np.int32)
        return (np.array(np.unravel_index(place, array.shape, order="F")) + 1).astype(np.int32)
    axis = _axis(array, dim)
    lines, masks = np.moveaxis(array, axis, -1), np.moveaxis(full, axis, -1)
    out = np.empty(lines.shape[:-1], np.int32, order="F")
    for index in np.ndindex(out.shape):
        out[index] = find(lines[index], masks[index], last) + 1
    return out if out.shape else out[()]


def _extreme_place(most: bool) -> Callable[[Any, Any, bool], int]:
    def find(line: Any, mask: Any, last: bool) -> int:
        places = np.flatnonzero(mask)
        if not places.size:
            return -1
        values = line[places]
        if values.dtype.kind == "f":
            ordered = ~np.isnan(values)
            if not ordered.any():
                return int(places[-1 if last else 0])
            places, values = places[ordered], values[ordered]
        if last:
            values, places = values[::-1], places[::-1]
        return int(places[int(np.argmax(values) if most else np.argmin(values))])

    return find


def maxloc(array: Any, dim: Any = None, mask: Any = None, back: Any = None) -> Any:
    """maxloc(): indices from 1, the first of equals (the last with back); zeros for no elements."""
    return _locate(array, dim, mask, back, _extreme_place(True))


def minloc(array: Any, dim: Any = None, mask: Any = None, back: Any = None) -> Any:
    """minloc(), see `maxloc`."""
    return _locate(array, dim, mask, back, _extreme_place(False))


def findloc(array: Any, value: Any, dim: Any = None, mask: Any = None, back: Any = None) -> Any:
    """findloc(): the place of the first (last with back) element equal to `value`."""
    from polystencil.semantics.arithmetic import compare

    def find(line: Any, allowed: Any, last: bool) -> int:
        places = np.flatnonzero(allowed & compare("==", line, value))
        return int(places[-1 if last else 0]) if places.size else -1

    return _locate(array, dim, mask, back, find)


def count(mask: Any, dim: Any = None) -> Any:
    """count()."""
    return np.count_nonzero(mask) if dim is None else np.sum(mask, axis=_axis(mask, dim), dtype=np.int32)


def any_true(mask: Any, dim: Any = None) -> Any:
    """any()."""
    return np.any(mask) if dim is None else np.any(mask, axis=_axis(mask, dim))


def all_true(mask: Any, dim: Any = None) -> Any:
    """all()."""
    return np.all(mask) if dim is None else np.all(mask, axis=_axis(mask, dim))


def parity(mask: Any, dim: Any = None) -> Any:
    """parity()."""
    return np.logical_xor.reduce(mask.ravel() if dim is None else mask, axis=0 if dim is None else _axis(mask, dim))


def bit_reduction(name: str, array: Any, dim: Any = None, mask: Any = None) -> Any:
    """iall, iany or iparity."""
    ufunc = {"iall": np.bitwise_and, "iany": np.bitwise_or, "iparity": np.bitwise_xor}[name]
    start = array.dtype.type(-1 if name == "iall" else 0)
    if dim is None or array.ndim == 1:
        flat = _flat(array, mask)
        return ufunc.reduce(flat, dtype=array.dtype) if flat.size else start
    return _fold(array, dim, mask, start, ufunc)


def norm2(array: Any, dim: Any = None) -> Any:
    """norm2() with the scaling that gfortran's run-time library uses."""

    def one(flat: Any) -> Any:
        scale, result = array.dtype.type(0), array.dtype.type(1)
        for item in np.abs(flat):
            if item == 0:
                continue
            if item > scale:
                ratio = scale / item
                result = result * (ratio * ratio) + array.dtype.type(1)
                scale = item
            else:
                ratio = item / scale
                result = result + ratio * ratio
        return scale * np.sqrt(result)

    if dim is None or array.ndim == 1:
        return one(array.ravel(order="F"))
    return _along(array, dim, None, one, array.dtype)


def dot_product(a: Any, b: Any) -> Any:
    """dot_product(): the first vector is conjugated."""
    if a.shape != b.shape:
        raise FortranRuntimeError(f"dot_product of vectors of {a.size} and {b.size} elements")
    if a.dtype.kind == "b":
        return np.any(a & b)
    return total(multiply(np.conj(a), b))


def matmul(a: Any, b: Any) -> Any:
    """matmul(): every element of the result sums its products in order."""
    if a.shape[-1] != b.shape[0]:
        raise FortranRuntimeError(f"matmul of shapes {a.shape} and {b.shape}")
    if a.dtype.kind == "b":
        return (a.astype(np.int64) @ b.astype(np.int64)) > 0
    shape = a.shape[:-1] + b.shape[1:]
    left, right = a.reshape(-1, a.shape[-1]), b.reshape(b.shape[0], -1)
    out = np.zeros((left.shape[0], right.shape[1]), np.result_type(a, b))
    for k in range(left.shape[1]):
        out = out + multiply(left[:, k : k + 1], right[k : k + 1, :])
    return np.asfortranarray(out.reshape(shape))

