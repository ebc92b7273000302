"""Run-time values: scalars, arrays, allocatables, pointers, records (structures of arrays).

A scalar value is a NumPy scalar (`bytes` for character); the storage of a scalar variable is a 0-d ndarray. An array
variable is an `Array`; the value of an array expression is the bare ndarray (or `RecordArray`) without bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polystencil.errors import UnsupportedError
from polystencil.semantics.memory import zeros
from polystencil.semantics.value_classes import Allocatable as Allocatable
from polystencil.semantics.value_classes import Array as Array
from polystencil.semantics.value_classes import Data as Data
from polystencil.semantics.value_classes import Element as Element
from polystencil.semantics.value_classes import Field as Field
from polystencil.semantics.value_classes import Pointer as Pointer
from polystencil.semantics.value_classes import Record as Record
from polystencil.semantics.value_classes import RecordArray as RecordArray
from polystencil.semantics.value_classes import RecordLayout as RecordLayout
from polystencil.semantics.value_classes import State as State

_NUMBERS: dict[tuple[str, int], type[np.generic]] = {
    ("integer", 1): np.int8, ("integer", 2): np.int16, ("integer", 4): np.int32, ("integer", 8): np.int64,
    ("real", 4): np.float32, ("real", 8): np.float64, ("complex", 4): np.complex64, ("complex", 8): np.complex128,
}  # fmt: skip


def dtype_of(base: str, kind: int, length: int = 1) -> np.dtype[Any]:
    """The dtype of an intrinsic type; all logical kinds are bool, characters are S<length>."""
    if base == "logical":
        return np.dtype(np.bool_)
    if base == "character":
        return np.dtype(f"S{max(length, 0)}")
    if (base, kind) not in _NUMBERS:
        raise UnsupportedError(f"{base}({kind}) is not supported", hint="use a kind of at most 8 bytes")
    return np.dtype(_NUMBERS[base, kind])


def element_of(value: Any) -> Any:
    """The dtype or layout of one element of a value or variable."""
    if isinstance(value, Array):
        value = value.data
    if isinstance(value, (Record, RecordArray)):
        return value.layout
    if isinstance(value, bytes):
        return np.dtype(f"S{len(value)}")
    return value.dtype


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of a value or variable; () for scalars."""
    if isinstance(value, Array):
        value = value.data
    if isinstance(value, (bytes, Record)):
        return ()
    return tuple(value.shape)


def new_data(element: Element, shape: tuple[int, ...], cleared: bool = True) -> Data:
    """Storage of `shape`: zeros, blanks, or the default initialisation of a derived type. A Record when scalar.

    Numbers are anything where the storage need not be `cleared`.
    """
    if isinstance(element, RecordLayout):
        return new_record(element) if shape == () else _new_record_array(element, shape)
    if element.kind != "S":
        return zeros(element, shape, cleared)
    data: np.ndarray[Any, Any] = np.ndarray(shape, element, order="F")  # keeps S0, which np.empty widens
    if element.itemsize:
        data[...] = b" " * element.itemsize
    return data


def new_array(
    element: Element, lower: tuple[int, ...], upper: tuple[int, ...], cleared: bool = True
) -> Array:  # fmt: skip
    """An array variable with these bounds."""
    shape = tuple(max(0, int(high) - int(low) + 1) for low, high in zip(lower, upper, strict=True))
    normal = tuple(int(low) if n else 1 for low, n in zip(lower, shape, strict=True))
    return Array(new_data(element, shape, cleared), normal)


def new_record(layout: RecordLayout) -> Record:
    """A record with default initialisation."""
    fields: dict[str, Any] = {}
    for f in layout.fields:
        if f.state == "allocatable":
            fields[f.name] = Allocatable()
        elif f.state == "pointer":
            fields[f.name] = Pointer(f.initial)
        else:
            if f.element is None:
                raise UnsupportedError(f"component {f.name} has no storage of its own")
            fields[f.name] = data = new_data(f.element, f.shape)
            if f.initial is not None:
                fill(data, f.initial)
    return Record(layout, fields)


def _new_record_array(layout: RecordLayout, shape: tuple[int, ...]) -> RecordArray:
    fields: dict[str, Any] = {}
    for f in layout.fields:
        if f.state == "plain":
            if f.element is None:
                raise UnsupportedError(f"component {f.name} has no storage of its own")
            fields[f.name] = data = new_data(f.element, shape + f.shape)
            if f.initial is not None:
                fill(data, f.initial)
        else:
            fields[f.name] = new_cells(f, shape)
    return RecordArray(layout, fields, shape)


def new_cells(field: Field, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Fresh cells of an allocatable or pointer component for an array of records."""
    cells = np.empty(shape, object, order="F")
    for i in np.ndindex(shape):
        cells[i] = Allocatable() if field.state == "allocatable" else Pointer(field.initial)
    return cells


def fill(data: Data, value: Any) -> None:
    """Store `value` (scalar, ndarray, Array or Record; broadcast over leading dimensions) into fresh storage."""
    if isinstance(value, Array):
        value = value.data
    if isinstance(data, (Record, RecordArray)):
        from polystencil.semantics.assignment import assign  # the full assignment knows cells

        assign(data, value)
    elif data.dtype.kind == "S":
        width = data.dtype.itemsize
        if isinstance(value, bytes):
            data[...] = value[:width].ljust(width)
        else:
            data[...] = fit_width(value, width)
    else:
        data[...] = value


def fit_width(value: np.ndarray[Any, Any], width: int) -> np.ndarray[Any, Any]:
    """Character elements truncated or padded with blanks to `width`."""
    here = value.dtype.itemsize
    if here == width:
        return value
    out: np.ndarray[Any, Any] = np.ndarray(value.shape, f"S{width}", order="F")
    if out.size and width:
        flat = out.reshape(-1, order="F")
        for k, item in enumerate(elements_as_bytes(value)):
            flat[k] = item[:width].ljust(width)
        out = flat.reshape(value.shape, order="F")
    return out


def elements_as_bytes(value: np.ndarray[Any, Any]) -> list[bytes]:
    """Every element of a character array, in element order, at its full length (NumPy strips trailing NULs)."""
    width = value.dtype.itemsize
    raw = value.tobytes(order="F")
    return [raw[k * width : (k + 1) * width] for k in range(value.size)]


def load(storage: Any) -> Any:
    """The value of scalar storage: a NumPy scalar, `bytes` at full length, or the record itself."""
    if isinstance(storage, Record):
        return storage
    return storage.tobytes() if storage.dtype.kind == "S" else storage[()]


def storage_of(value: Any) -> Any:
    """Fresh storage that holds an expression's value: 0-d ndarray, Array with lower bounds 1, or the record."""
    if isinstance(value, bytes):
        data: np.ndarray[Any, Any] = np.ndarray((), f"S{len(value)}")
        if value:
            data[...] = value
        return data
    if isinstance(value, (Array, Record, Allocatable, Pointer)) or not hasattr(value, "shape"):
        return value
    if value.shape == ():
        return np.array(value)
    return Array(value, (1,) * len(value.shape))


def block_view(
    block: np.ndarray[Any, Any], offset: int, element: np.dtype[Any], shape: tuple[int, ...], size: int
) -> np.ndarray[Any, Any]:
    """A variable in a common block or equivalence class (`block`: bytes); `size` is the bytes of one element.

    Logicals of more than one byte are seen through their lowest byte.
    """
    strides, step = [], size
    for n in shape:
        strides.append(step)
        step *= n
    return np.ndarray(shape, element, buffer=block, offset=offset, strides=tuple(strides))
