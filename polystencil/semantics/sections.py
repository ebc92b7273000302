"""Elements, sections and substrings of arrays by Fortran subscripts; subscripts are checked against the bounds."""

from __future__ import annotations

from typing import Any, Union

import numpy as np

from polystencil.errors import FortranRuntimeError
from polystencil.semantics.values import Array, Record, RecordArray

Triplet = tuple[Union[int, None], Union[int, None], int]
Subscript = Union[int, Triplet, "np.ndarray[Any, Any]"]


def out_of_bounds(dimension: int, subscript: int, lower: int, upper: int, name: str = "array") -> FortranRuntimeError:
    """The error of a subscript that lies outside; `dimension` counts from 1."""
    return FortranRuntimeError(
        f"subscript {subscript} of dimension {dimension} of {name} is outside of its bounds {lower}:{upper}"
    )


def element(array: Array, subscripts: tuple[Any, ...], name: str = "array") -> Any:
    """The storage of one element: a 0-d view, or a Record."""
    index = []
    shape = array.data.shape
    for d, subscript in enumerate(subscripts):
        k = int(subscript) - array.lower[d]
        if not 0 <= k < shape[d]:
            raise out_of_bounds(d + 1, int(subscript), array.lower[d], array.lower[d] + shape[d] - 1, name)
        index.append(k)
    return array.data[(*index, ...)]


def triplet_slice(lower: int, n: int, triplet: Triplet, dimension: int = 1, name: str = "array") -> slice:
    """The slice of a `first:last:step` subscript in a dimension of extent `n` that starts at `lower`."""
    first, last, step = triplet
    step = int(step)
    if step == 0:
        raise FortranRuntimeError(f"the stride of a section of {name} is zero")
    upper = lower + n - 1
    first = lower if first is None else int(first)  # also where the step is negative: such a section is empty
    last = upper if last is None else int(last)
    count = (last - first + step) // step
    if count <= 0:
        return slice(0, 0, 1)
    final = first + (count - 1) * step
    for subscript in (first, final):
        if not lower <= subscript <= upper:
            raise out_of_bounds(dimension, subscript, lower, upper, name)
    stop: int | None = final - lower + (1 if step > 0 else -1)
    return slice(first - lower, None if stop is not None and stop < 0 else stop, step)


def section_index(array: Array, subscripts: tuple[Subscript, ...], name: str = "array") -> tuple[Any, ...]:
    """The NumPy index of a section: ints and slices, or ints and mutually broadcast arrays for vector subscripts."""
    shape = array.data.shape
    index: list[Any] = []
    vectors = False
    for d, subscript in enumerate(subscripts):
        lower, n = array.lower[d], shape[d]
        if isinstance(subscript, tuple):
            index.append(triplet_slice(lower, n, subscript, d + 1, name))
        elif isinstance(subscript, np.ndarray) and subscript.ndim == 1:
            places = subscript.astype(np.int64) - lower
            wrong = (places < 0) | (places >= n)
            if wrong.any():
                raise out_of_bounds(d + 1, int(subscript[wrong][0]), lower, lower + n - 1, name)
            index.append(places)
            vectors = True
        else:
            k = int(subscript) - lower
            if not 0 <= k < n:
                raise out_of_bounds(d + 1, int(subscript), lower, lower + n - 1, name)
            index.append(k)
    return _open_mesh(index, shape) if vectors else tuple(index)


def _open_mesh(index: list[Any], shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Slices and vectors as arrays that broadcast against each other, so that the result has a dimension for each."""
    ranks = sum(1 for i in index if not isinstance(i, int))
    out: list[Any] = []
    position = 0
    for i, n in zip(index, shape, strict=True):
        if isinstance(i, int):
            out.append(i)
            continue
        vector = np.arange(n)[i] if isinstance(i, slice) else i
        out.append(vector.reshape((-1,) + (1,) * (ranks - position - 1)))
        position += 1
    return tuple(out)


def section(array: Array, subscripts: tuple[Subscript, ...], name: str = "array") -> Any:
    """The data of a section: a view (ndarray or RecordArray), a copy when a subscript is a vector.

    A triplet is `(first, last, step)` with None for what is left out.
    """
    return array.data[(*section_index(array, subscripts, name), ...)]


def assign_section(array: Array, subscripts: tuple[Subscript, ...], value: Any, name: str = "array") -> None:
    """`array(subscripts) = value`, also for vector subscripts (which have no view)."""
    from polystencil.semantics.assignment import assign, check_same_shape, copy_value
    from polystencil.semantics.values import fit_width, shape_of

    index = section_index(array, subscripts, name)
    if not any(isinstance(i, np.ndarray) for i in index):
        assign(array.data[(*index, ...)], value)
        return
    if isinstance(value, Array):
        value = value.data
    data = array.data
    if isinstance(data, RecordArray):
        source = copy_value(value)
        places = np.broadcast_arrays(*index)
        check_same_shape(places[0].shape, shape_of(source))
        for at in np.ndindex(places[0].shape):
            target = data[tuple(int(p[at]) for p in places)]
            assign(target, source if isinstance(source, Record) else source[at])
        return
    check_same_shape(np.broadcast_shapes(*(np.shape(i) for i in index)), shape_of(value))
    if data.dtype.kind == "S":
        width = data.dtype.itemsize
        value = value[:width].ljust(width) if isinstance(value, bytes) else fit_width(value, width)
    data[index] = value


def substring_view(data: Any, first: int | None, last: int | None) -> Any:
    """`data(first:last)` of character storage (0-d or array) as a view that can be assigned to."""
    width = data.dtype.itemsize
    low = 1 if first is None else int(first)
    high = width if last is None else int(last)
    if high < low:
        return np.ndarray(data.shape, "S0")
    if low < 1 or high > width:
        raise FortranRuntimeError(f"substring ({low}:{high}) lies outside of a character value of length {width}")
    return _field_view(data, low - 1, high - low + 1)


def _field_view(data: np.ndarray[Any, Any], offset: int, width: int) -> np.ndarray[Any, Any]:
    size = data.dtype.itemsize
    layout = np.dtype({"names": ["part"], "formats": [f"S{width}"], "offsets": [offset], "itemsize": size})
    return data.view(layout)["part"]


def substring(value: bytes, first: int | None, last: int | None) -> bytes:
    """`value(first:last)` of a character value."""
    low = 1 if first is None else int(first)
    high = len(value) if last is None else int(last)
    if high < low:
        return b""
    if low < 1 or high > len(value):
        raise FortranRuntimeError(f"substring ({low}:{high}) lies outside of a character value of length {len(value)}")
    return value[low - 1 : high]
