"""Argument association in host programs: array dummies, sequence association with copy-back, elemental calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError
from polystencil.semantics.assignment import assign
from polystencil.semantics.association import as_assumed_shape, as_explicit_shape, contiguous_copy, element_position
from polystencil.semantics.sections import element
from polystencil.semantics.values import (
    Allocatable,
    Array,
    Pointer,
    Record,
    RecordLayout,
    new_data,
    new_record,
)
from polystencil.semantics.values import storage_of as storage_of


@dataclass(eq=False)
class Sequence:
    """An actual argument that starts at an element of an array."""

    data: Any
    start: int


def from_element(array: Array, subscripts: tuple[Any, ...], name: str) -> Sequence:
    """`a(i, j)` as the actual argument of an explicit-shape dummy."""
    element(array, subscripts, name)
    return Sequence(array.data, element_position(array, tuple(int(s) for s in subscripts)))


def _content(actual: Any) -> Any:
    if isinstance(actual, (Allocatable, Pointer)):
        held = actual.value if isinstance(actual, Allocatable) else actual.target
        if held is None:
            raise FortranRuntimeError("an argument is not allocated or associated")
        return held
    return actual


def assumed_shape(actual: Any, lower: tuple[Any, ...]) -> Array:
    """An actual array as an assumed-shape dummy; the same Array where the bounds agree."""
    actual = _content(actual)
    low = tuple(int(i) for i in lower)
    if isinstance(actual, Array):
        if actual.lower == low:
            return actual
        actual = actual.data
    return as_assumed_shape(actual, low)


class Frame:
    """Explicit-shape dummies of one call; `leave` copies back what had to be copied in."""

    def __init__(self, device: Any) -> None:
        self._device = device
        self._back: list[Callable[[], None]] = []
        self._copies: list[Any] = []

    def explicit_shape(self, actual: Any, lower: tuple[Any, ...], upper: tuple[Any, ...]) -> Array:
        """An actual array, element or scalar as an explicit-shape dummy."""
        actual = _content(actual)
        start = 0
        if isinstance(actual, Sequence):
            data, start = actual.data, actual.start
        elif isinstance(actual, Array):
            data = actual.data
            if actual.lower == lower and data.flags.f_contiguous if isinstance(data, np.ndarray) else False:
                if None not in upper and actual.upper == tuple(int(u) for u in upper):
                    return actual
        else:
            data = actual
        if isinstance(data, np.ndarray) and data.shape == ():
            data = data.reshape(1)
        if isinstance(data, np.ndarray) and not data.flags.f_contiguous:
            self._device.writes(data)
        low = tuple(int(i) for i in lower)
        array, back = as_explicit_shape(data, low, tuple(None if u is None else int(u) for u in upper), start)
        if back is not None:
            self._back.append(back)
            self._copies.append(array)
        return array

    def contiguous(self, actual: Any, lower: tuple[Any, ...]) -> Array:
        """An actual array as a contiguous assumed-shape dummy."""
        array = assumed_shape(actual, lower)
        data = array.data
        if isinstance(data, np.ndarray) and data.flags.f_contiguous:
            return array
        self._device.writes(data)
        copy, back = contiguous_copy(data)
        if back is not None:
            self._back.append(back)
            self._copies.append(copy)
        return Array(copy, array.lower)

    def leave(self) -> None:
        if self._back:
            self._device.reads(*self._copies)
        for back in self._back:
            back()


def default_initialise(record: Any, layout: RecordLayout) -> None:
    """An intent(out) dummy of derived type starts with its default values."""
    if isinstance(record, Record) and any(f.initial is not None or f.state == "allocatable" for f in layout.fields):
        fresh = new_record(record.layout)
        for f in layout.fields:
            if f.initial is not None and f.state == "plain":
                assign(record.fields[f.name], fresh.fields[f.name])
            elif f.state == "allocatable":
                record.fields[f.name].value = None


def elemental(function: Any, result: Any, how: str, *arguments: Any) -> Any:
    """An elemental function of arrays, element by element."""
    values = [a.data if isinstance(a, Array) else a for a in arguments]
    shape = _common_shape(values)
    out = new_data(result, shape) if result is not None else None
    items = []
    for at in _element_order(shape):
        value = function(*(_item(v, at, h) for v, h in zip(values, how, strict=False)))
        if out is None or (
            hasattr(out, "dtype")
            and out.dtype.kind == "S"
            and isinstance(value, bytes)
            and len(value) != out.dtype.itemsize
        ):
            items.append(value)
        else:
            assign(out[_place(at)] if isinstance(out, np.ndarray) else out[at], value)
    if items:
        width = max(len(i) for i in items)
        out = new_data(np.dtype(f"S{width}"), shape)
        for at, value in zip(_element_order(shape), items, strict=True):
            assign(out[_place(at)], value)
    return out


def elemental_call(function: Any, how: str, *arguments: Any) -> None:
    """An elemental subroutine called with arrays."""
    values = [a.data if isinstance(a, Array) else a for a in arguments]
    for at in _element_order(_common_shape(values)):
        function(*(_item(v, at, h) for v, h in zip(values, how, strict=False)))


def _common_shape(values: list[Any]) -> tuple[int, ...]:
    for v in values:
        shape = getattr(v, "shape", ())
        if shape:
            return tuple(shape)
    return ()


def _item(value: Any, at: tuple[int, ...], how: str) -> Any:
    if value is None:
        return None
    if isinstance(value, bytes) or not getattr(value, "shape", ()):
        return value if how == "v" or not isinstance(value, (bytes, np.generic)) else storage_of(value)
    if isinstance(value, np.ndarray):
        item = value[_place(at)]
        if how == "v":
            return item.tobytes() if item.dtype.kind == "S" else item[()]
        return item
    return value[at]


def _place(at: tuple[int, ...]) -> Any:
    """The index of an element as a 0-d view."""
    return (*at, Ellipsis)


def _element_order(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [tuple(reversed(at)) for at in np.ndindex(tuple(reversed(shape)))]
