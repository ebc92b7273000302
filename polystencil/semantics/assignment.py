"""Assignment: conversion, broadcasting, character padding, deep copies of records, (re)allocation on assignment."""

from __future__ import annotations

from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError
from polystencil.semantics.values import (
    Allocatable,
    Array,
    Element,
    Pointer,
    Record,
    RecordArray,
    RecordLayout,
    element_of,
    elements_as_bytes,
    fit_width,
    new_array,
    new_data,
    shape_of,
)


def assign(target: Any, value: Any) -> None:
    """`target = value` on existing storage: 0-d ndarray, ndarray, Array, Record or RecordArray.

    The value is a scalar or has the target's shape; both may overlap (the right side counts as read first).
    """
    if isinstance(target, Array):
        target = target.data
    if isinstance(value, Array):
        value = value.data
    if isinstance(target, Record):
        _assign_record(target, value)
    elif isinstance(target, RecordArray):
        _assign_records(target, value)
    else:
        check_same_shape(target.shape, shape_of(value))
        if target.dtype.kind == "S":
            assign_text(target, value)
        else:
            target[...] = value


def check_same_shape(target: tuple[int, ...], value: tuple[int, ...]) -> None:
    """Shapes of an array assignment conform."""
    if value != () and value != target:
        raise FortranRuntimeError(f"array of shape {_words(value)} assigned to one of shape {_words(target)}")


def _words(shape: tuple[int, ...]) -> str:
    return "(" + ",".join(str(n) for n in shape) + ")"


def assign_text(target: np.ndarray[Any, Any], value: Any) -> None:
    """Character assignment: truncated or padded with blanks."""
    width = target.dtype.itemsize
    if width == 0:
        return
    if isinstance(value, bytes):
        target[...] = value[:width].ljust(width)
    elif value.shape == ():
        target[...] = value.tobytes()[:width].ljust(width)
    else:
        target[...] = fit_width(value, width)


def _assign_record(target: Record, value: Record) -> None:
    if target is value:
        return
    source = value if disjoint(target, value) else copy_record(value)
    for field in target.layout.fields:
        here, there = target.fields[field.name], source.fields[field.name]
        if field.state == "pointer":
            here.target = there.target
        elif field.state == "allocatable":
            here.value = copy_value(there.value)
        else:
            assign(here, there)


def disjoint(target: Record, value: Record) -> bool:
    """Records have no common storage (their cells are different ones)."""
    for name, here in target.fields.items():
        there = value.fields.get(name)
        if here is there:
            return False
        if isinstance(here, Record) and isinstance(there, Record):
            if not disjoint(here, there):
                return False
        elif isinstance(here, (RecordArray, Allocatable)) or _may_share(here, there):
            return False
    return True


def _may_share(a: Any, b: Any) -> bool:
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and bool(np.may_share_memory(a, b))


def _assign_records(target: RecordArray, value: Record | RecordArray) -> None:
    check_same_shape(target.shape, shape_of(value))
    source: Any = copy_value(value)
    scalar = isinstance(source, Record)
    for field in target.layout.fields:
        here, there = target.fields[field.name], source.fields[field.name]
        if field.state == "plain":
            if isinstance(here, RecordArray):
                _broadcast_records(here, there)
            elif here.dtype.kind == "S":
                here[...] = fit_width(there, here.dtype.itemsize) if there.shape else there.tobytes()
            else:
                here[...] = there
            continue
        for index in np.ndindex(target.shape):
            cell = there if scalar else there[index]
            if field.state == "pointer":
                here[index].target = cell.target
            else:
                here[index].value = copy_value(cell.value)


def _broadcast_records(target: RecordArray, value: Record | RecordArray) -> None:
    """Nested records: `value` lacks the leading dimensions of `target` when its parent is a scalar."""
    lead = len(target.shape) - len(shape_of(value))
    if lead == 0 or isinstance(value, Record):
        _assign_records(target, value)
        return
    for index in np.ndindex(target.shape[:lead]):
        part = target[index + (slice(None),) * value.ndim]
        assert isinstance(part, RecordArray)
        _assign_records(part, value)


def copy_value(value: Any) -> Any:
    """An independent copy of a value or storage; allocatable components are copied, pointers stay shared."""
    if isinstance(value, Array):
        return Array(copy_value(value.data), value.lower)
    if isinstance(value, Record):
        return copy_record(value)
    if isinstance(value, RecordArray):
        fields = {name: _copy_leaf(leaf) for name, leaf in value.fields.items()}
        return RecordArray(value.layout, fields, value.shape)
    if isinstance(value, np.ndarray):
        return np.array(value, order="F", copy=True) if value.dtype != "S0" else value
    return value


def copy_record(value: Record) -> Record:
    """A deep copy of a record."""
    return Record(value.layout, {name: _copy_leaf(leaf) for name, leaf in value.fields.items()})


def _copy_leaf(leaf: Any) -> Any:
    if isinstance(leaf, Allocatable):
        return Allocatable(copy_value(leaf.value))
    if isinstance(leaf, Pointer):
        return Pointer(leaf.target)
    if isinstance(leaf, np.ndarray) and leaf.dtype == object:
        out = np.empty(leaf.shape, object, order="F")
        for index in np.ndindex(leaf.shape):
            out[index] = _copy_leaf(leaf[index])
        return out
    return copy_value(leaf)


def assign_allocatable(cell: Allocatable, value: Any, lower: tuple[int, ...] | None = None) -> None:
    """`cell = value` for an allocatable array: (re)allocated when it is not allocated or has another shape.

    `lower` are the lower bounds of the value where it is a whole array (default 1).
    """
    if isinstance(value, Array):
        lower = value.lower if lower is None else lower
        value = value.data
    shape, old = shape_of(value), cell.value
    element = element_of(value)
    if old is not None and (shape == () or shape_of(old) == shape):
        same_length = not isinstance(element, np.dtype) or element.kind != "S" or element_of(old) == element
        if same_length or shape == ():
            assign(old, value)
            return
    if shape == ():
        raise FortranRuntimeError("a scalar is assigned to an array that is not allocated")
    fresh = copy_value(value)
    cell.value = Array(fresh, (1,) * len(shape) if lower is None else lower)


def assign_allocatable_scalar(cell: Allocatable, value: Any, element: Element | None = None) -> None:
    """`cell = value` for an allocatable scalar; `element` None: deferred length or polymorphic, taken from value."""
    if isinstance(value, Record):
        if element is None or cell.value is None or cell.value.layout is not value.layout:
            cell.value = copy_record(value)
        else:
            assign(cell.value, value)
        return
    if element is None or isinstance(element, RecordLayout):
        element = element_of(value)
    if cell.value is None or cell.value.dtype != element:
        value = value if isinstance(value, bytes) else np.array(value)
        cell.value = new_data(element, ())
    assign(cell.value, value)


def allocate(cell: Allocatable | Pointer, storage: Any) -> None:
    """Put fresh storage (Array, Record or 0-d ndarray) into an allocatable that must not be allocated, or a pointer."""
    if isinstance(cell, Pointer):
        cell.target = storage
    elif cell.value is not None:
        raise FortranRuntimeError("attempt to allocate what is already allocated")
    else:
        cell.value = storage


def deallocate(cell: Allocatable | Pointer) -> None:
    """Deallocate; an error when there is nothing to deallocate."""
    if isinstance(cell, Pointer):
        if cell.target is None:
            raise FortranRuntimeError("attempt to deallocate a pointer that has no target")
        cell.target = None
    elif cell.value is None:
        raise FortranRuntimeError("attempt to deallocate what is not allocated")
    else:
        cell.value = None


def convert(value: Any, dtype: np.dtype[Any]) -> Any:
    """A number or logical (scalar or ndarray) in another type, as Fortran converts it.

    Reals truncate towards zero; a complex value loses its imaginary part; integers wrap.
    """
    if value.dtype == dtype:
        return value
    if value.dtype.kind == "c" and dtype.kind != "c":
        value = value.real
    return value.astype(dtype)


def text_array(items: list[bytes], shape: tuple[int, ...], width: int) -> np.ndarray[Any, Any]:
    """A character array from its elements in element order."""
    out: np.ndarray[Any, Any] = np.ndarray((len(items),), f"S{width}")
    if width:
        for k, item in enumerate(items):
            out[k] = item[:width].ljust(width)
    return out.reshape(shape, order="F")


def map_text(function: Any, value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An elemental character function of one argument over an array; results are padded to the longest."""
    items = [function(item) for item in elements_as_bytes(value)]
    return text_array(items, value.shape, max((len(i) for i in items), default=0))


__all__ = [
    "allocate", "assign", "assign_allocatable", "assign_allocatable_scalar", "assign_text", "check_same_shape",
    "convert", "copy_record", "copy_value", "deallocate", "map_text", "new_array", "text_array",
]  # fmt: skip
