"""Array functions that move elements: reshape, transpose, spread, pack, unpack, merge, cshift, eoshift.

They work on element numbers and gather once, so arrays of records and characters need no code of their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError
from polystencil.semantics.association import element_count
from polystencil.semantics.values import Record, RecordArray, fit_width


def as_data(value: Any) -> Any:
    """A value as something with a shape: bytes become a 0-d ndarray, a record an array of rank 0 is kept."""
    if isinstance(value, bytes):
        out: np.ndarray[Any, Any] = np.ndarray((), f"S{len(value)}")
        if value:
            out[...] = value
        return out
    return value


def gather(data: Any, places: Any) -> Any:
    """The elements of `data` with the given element numbers (0-based, element order), in the shape of `places`."""
    if isinstance(data, RecordArray):
        size = data.size
        fields = {}
        for name, leaf in data.fields.items():
            extra = tuple(leaf.shape[data.ndim :])
            if isinstance(leaf, RecordArray):
                fields[name] = _gather_leading(leaf, places, size, extra)
            else:
                fields[name] = leaf.reshape((size, *extra), order="F")[places]
        return RecordArray(data.layout, fields, tuple(places.shape))
    return data.ravel(order="F")[places]


def _gather_leading(leaf: RecordArray, places: Any, size: int, extra: tuple[int, ...]) -> RecordArray:
    inner = element_count(extra)
    offsets = np.arange(inner).reshape(extra, order="F") * size
    return gather(leaf, places.reshape(places.shape + (1,) * len(extra)) + offsets)  # type: ignore[no-any-return]  # records in, records out


def numbers(shape: tuple[int, ...]) -> Any:
    """Every element's number, in the shape."""
    return np.arange(element_count(shape)).reshape(shape, order="F")


def _common(a: Any, b: Any) -> tuple[Any, Any]:
    """Character arrays padded to one length."""
    if isinstance(a, np.ndarray) and a.dtype.kind == "S" and a.dtype != b.dtype:
        width = max(a.dtype.itemsize, b.dtype.itemsize)
        return fit_width(a, width), fit_width(b, width)
    return a, b


def _joined(a: Any, b: Any) -> Any:
    """The elements of two values one after the other, rank 1."""
    if isinstance(a, RecordArray):
        return concatenate([a, b])
    a, b = _common(as_data(a), as_data(b))
    return np.concatenate([a.ravel(order="F"), b.ravel(order="F")])


def concatenate(parts: list[Any]) -> Any:
    """Values (scalars or arrays) one after the other in element order, rank 1; never empty."""
    if isinstance(parts[0], (Record, RecordArray)):
        from polystencil.semantics.assignment import assign
        from polystencil.semantics.values import new_data

        sizes = [p.size if isinstance(p, RecordArray) else 1 for p in parts]
        out = new_data(parts[0].layout, (sum(sizes),))
        start = 0
        for part, n in zip(parts, sizes, strict=True):
            target = out[(slice(start, start + n),)]
            if isinstance(part, RecordArray):
                part = gather(part, np.arange(n))
            assign(target, part)
            start += n
        return out
    arrays = [as_data(p) for p in parts]
    if arrays[0].dtype.kind == "S":
        width = max(a.dtype.itemsize for a in arrays)
        arrays = [fit_width(a, width) for a in arrays]
    return np.concatenate([np.asarray(a).ravel(order="F") for a in arrays])


def reshape(source: Any, shape: Any, pad: Any = None, order: Any = None) -> Any:
    """reshape()."""
    want = tuple(max(0, int(n)) for n in shape)
    total, have = element_count(want), element_count(tuple(source.shape))
    places = np.arange(total)
    if total > have:
        extra = 0 if pad is None else element_count(tuple(pad.shape))
        if not extra:
            raise FortranRuntimeError(f"reshape to {total} elements of an array of only {have}, without pad")
        places = np.where(places < have, places, have + (places - have) % extra)
        source = _joined(source, pad)
    if order is None:
        return gather(source, places.reshape(want, order="F"))
    axes = [int(k) - 1 for k in order]
    permuted = places.reshape(tuple(want[k] for k in axes), order="F")
    return gather(source, np.transpose(permuted, np.argsort(axes)))


def transpose(matrix: Any) -> Any:
    """transpose()."""
    if isinstance(matrix, RecordArray):
        return gather(matrix, numbers(tuple(matrix.shape)).T)
    return matrix.T.copy(order="F")


def spread(source: Any, dim: Any, ncopies: Any) -> Any:
    """spread(): a new dimension `dim` of `ncopies` copies."""
    n = max(0, int(ncopies))
    if isinstance(source, Record):
        return concatenate([source] * n)
    source = as_data(source)
    shape = tuple(source.shape)
    places = np.expand_dims(numbers(shape), int(dim) - 1)
    if isinstance(source, np.ndarray | np.generic) and shape == ():
        source = np.asarray(source).reshape(1)
    return gather(source, np.repeat(places, n, axis=int(dim) - 1))


def pack(array: Any, mask: Any, vector: Any = None) -> Any:
    """pack()."""
    shape = tuple(array.shape)
    chosen = np.flatnonzero(np.broadcast_to(mask, shape).ravel(order="F"))
    if vector is None:
        return gather(array, chosen)
    have = element_count(shape)
    rest = np.arange(chosen.size, element_count(tuple(vector.shape)))
    return gather(_joined(array, vector), np.concatenate([chosen, have + rest]))


def unpack(vector: Any, mask: Any, field: Any) -> Any:
    """unpack()."""
    shape = tuple(mask.shape)
    flat = mask.ravel(order="F")
    if int(flat.sum()) > element_count(tuple(vector.shape)):
        raise FortranRuntimeError("unpack: the vector has fewer elements than the mask is true")
    field = as_data(field)
    scalar = getattr(field, "shape", ()) == ()
    start = element_count(tuple(vector.shape))
    places = np.where(flat, np.cumsum(flat) - 1, start if scalar else start + np.arange(flat.size))
    return gather(_joined(vector, field), places.reshape(shape, order="F"))


def merge(when_true: Any, when_false: Any, mask: Any) -> Any:
    """merge()."""
    if np.shape(mask) == () and getattr(when_true, "shape", ()) == getattr(when_false, "shape", ()):
        return when_true if mask else when_false
    if isinstance(when_true, (Record, RecordArray)):
        shape = np.shape(mask)
        n = element_count(shape)
        parts = [p if isinstance(p, RecordArray) else concatenate([p] * n) for p in (when_true, when_false)]
        places = np.where(mask, numbers(shape), n + numbers(shape))
        return gather(concatenate([gather(p, np.arange(n)) for p in parts]), places)
    a, b = _common(as_data(when_true), as_data(when_false))
    return np.where(mask, a, b)


def _shift_amount(shift: Any, axis: int, rank: int) -> Any:
    """The shift of every line, shaped to broadcast against the array."""
    amount = np.asarray(shift)
    return amount if amount.shape == () or rank == 1 else np.expand_dims(amount, axis)


def cshift(array: Any, shift: Any, dim: Any = None) -> Any:
    """cshift()."""
    shape, axis = tuple(array.shape), (1 if dim is None else int(dim)) - 1
    n = shape[axis]
    if element_count(shape) == 0:
        return array
    along = np.arange(n).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    source = (along + _shift_amount(shift, axis, len(shape)).astype(np.int64)) % n
    return gather(array, np.take_along_axis(numbers(shape), np.broadcast_to(source, shape), axis))


def eoshift(array: Any, shift: Any, boundary: Any = None, dim: Any = None) -> Any:
    """eoshift(): what is shifted in is `boundary`, or zero, false, blanks."""
    shape, axis = tuple(array.shape), (1 if dim is None else int(dim)) - 1
    n, rank = shape[axis], len(shape)
    if element_count(shape) == 0:
        return array
    along = np.arange(n).reshape([-1 if k == axis else 1 for k in range(rank)])
    source = np.broadcast_to(along + _shift_amount(shift, axis, rank).astype(np.int64), shape)
    inside = (source >= 0) & (source < n)
    places = np.take_along_axis(numbers(shape), np.clip(source, 0, n - 1), axis)
    if isinstance(array, RecordArray):
        n_all = element_count(shape)
        return gather(_joined(array, boundary), np.where(inside, places, n_all))
    moved = gather(array, places)
    if boundary is None:
        edge: Any = b" " * array.dtype.itemsize if array.dtype.kind == "S" else array.dtype.type(0)
    else:
        edge = as_data(boundary)
        if array.dtype.kind == "S":
            edge = fit_width(edge, array.dtype.itemsize)
        if edge.shape != () and rank > 1:
            edge = np.expand_dims(edge, axis)
    return np.where(inside, moved, edge)
