"""Values and variables of host programs beyond plain semantics: constructors, records, allocation, dynamic types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError
from polystencil.runtime.host_control import do
from polystencil.semantics import assignment
from polystencil.semantics.assignment import assign, copy_value
from polystencil.semantics.association import associated, content
from polystencil.semantics.rearrangement import concatenate
from polystencil.semantics.values import (
    Allocatable,
    Array,
    Pointer,
    Record,
    RecordArray,
    RecordLayout,
    element_of,
    new_array,
    new_data,
    new_record,
    shape_of,
    storage_of,
)

DEFAULT = object()


def text_of(length: Any) -> np.dtype[Any]:
    """The dtype of characters of a length."""
    return np.dtype(f"S{max(int(length), 0)}")


def shape_between(lower: tuple[Any, ...], upper: tuple[Any, ...]) -> tuple[int, ...]:
    """Extents between bounds."""
    return tuple(max(0, int(high) - int(low) + 1) for low, high in zip(lower, upper, strict=True))


def data_of(value: Any) -> Any:
    """The bare data of an array variable or value."""
    return value.data if isinstance(value, Array) else value


def fresh_bounds(value: Any) -> Array:
    """An array with lower bounds 1."""
    if isinstance(value, Array):
        value = value.data
    return Array(value, (1,) * len(value.shape))


def result_storage(value: Any) -> Any:
    """What a function gave, as storage; the target of a pointer result."""
    if isinstance(value, (Pointer, Allocatable)):
        return content(value, "the result")
    return storage_of(value)


def value_of(cell: Any) -> Any:
    """The value that a pointer or allocatable function result holds."""
    held_ = content(cell, "the result") if isinstance(cell, (Pointer, Allocatable)) else cell
    if isinstance(held_, Array):
        return held_.data
    if isinstance(held_, np.ndarray) and held_.shape == ():
        return held_.tobytes() if held_.dtype.kind == "S" else held_[()]
    return held_


def held(cell: Any) -> Any:
    """What an allocatable or pointer holds, None for nothing (an absent argument)."""
    if cell is None:
        return None
    return cell.value if isinstance(cell, Allocatable) else cell.target


def held_value(cell: Any) -> Any:
    """The scalar value that a cell holds, None for nothing."""
    storage = held(cell)
    return None if storage is None else value_of(storage)


def constructor(element: Any, items: list[Any]) -> Any:
    """An array constructor: scalars and arrays in element order, all of one type."""
    if isinstance(element, RecordLayout) or element is None or (element.kind == "S"):
        return _general_constructor(element, items)
    if all(getattr(i, "shape", None) == () for i in items):
        return np.array(items, element)
    parts = [np.asarray(i).ravel(order="F") for i in items]
    return np.concatenate(parts).astype(element, copy=False) if parts else np.zeros(0, element)


def _general_constructor(element: Any, items: list[Any]) -> Any:
    if not items:
        return new_data(element, (0,))
    if isinstance(element, RecordLayout):
        records = []
        for item in items:
            item = data_of(item)
            records += [item] if isinstance(item, Record) else [item[at] for at in _element_order(item.shape)]
        out = new_data(records[0].layout, (len(records),))
        for k, record in enumerate(records):
            assign(out[k], record)
        return out
    value = concatenate(items)
    width = element.itemsize if element is not None else 0
    if width and value.dtype.itemsize != width:
        from polystencil.semantics.values import fit_width

        return fit_width(value, width)
    return value


def _element_order(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [tuple(reversed(at)) for at in np.ndindex(tuple(reversed(shape)))]


def implied_do(items: Callable[[Any], list[Any]], first: Any, last: Any, step: Any) -> list[Any]:
    """The items of all iterations, one after the other."""
    out: list[Any] = []
    for value in do(type(first) if isinstance(first, np.generic) else np.int32, first, last, step):
        out += items(value)
    return out


def structure(layout: RecordLayout, parts: tuple[Any, ...]) -> Record:
    """A structure constructor; DEFAULT keeps a component's default."""
    out = new_record(layout)
    for field_, part in zip(layout.fields, parts, strict=False):
        if part is DEFAULT:
            continue
        place = out.fields[field_.name]
        if isinstance(place, Pointer):
            place.target = held(part) if isinstance(part, (Pointer, Allocatable)) else part
        elif isinstance(place, Allocatable):
            place.value = _as_content(part)
        else:
            assign(place, part)
    return out


def _as_content(part: Any) -> Any:
    if part is None:
        return None
    part = copy_value(part)
    if isinstance(part, (Array, Record)):
        return part
    return storage_of(part)


def as_parent(storage: Any, layout: RecordLayout) -> Any:
    """The part of an object (or array of objects) that it has from a type that its own extends; shares storage."""
    storage = dynamic(storage)
    if isinstance(storage, Array):
        return Array(as_parent(storage.data, layout), storage.lower)
    fields = {f.name: storage.fields[f.name] for f in layout.fields}
    if isinstance(storage, RecordArray):
        return RecordArray(layout, fields, storage.shape)
    return Record(layout, fields)


def field(storage: Any, name: str) -> Any:
    """A component of a record, an array of records or what a cell holds."""
    if isinstance(storage, (Pointer, Allocatable)):
        storage = content(storage, name)
    if isinstance(storage, Array):
        storage = storage.data
    return storage.fields[name]


def element_of_component(leaf_: Any, parent_rank: int, lower: tuple[int, ...], subscripts: tuple[Any, ...]) -> Any:
    """`p%q(i)` where p is an array of records: the array of those elements."""
    index = tuple(int(s) - low for s, low in zip(subscripts, lower, strict=True))
    return leaf_[(slice(None),) * parent_rank + index]


def leaf(storage: Any, path: tuple[str, ...], component_lower: tuple[int, ...] = ()) -> Array:
    """A leaf array of records (with the bounds of the array, then of the components) for a kernel."""
    lower: tuple[int, ...] = ()
    if isinstance(storage, Array):
        lower, storage = storage.lower, storage.data
    for name in path:
        storage = storage.fields[name]
    return Array(storage, lower + component_lower)


def mask_of(value: Any) -> Any:
    """A mask of where as an array of its own."""
    return np.array(value, np.bool_)


def assign_where(target: Any, mask: Any, value: Any) -> None:
    """Masked assignment."""
    target = data_of(target)
    if isinstance(value, bytes) or (hasattr(value, "dtype") and value.dtype.kind == "S"):
        for at in np.argwhere(mask):
            item = value if isinstance(value, bytes) or value.shape == () else value[tuple(at)]
            assign(target[(*tuple(at), Ellipsis)], item)
        return
    if isinstance(target, RecordArray):
        for at in np.argwhere(mask):
            assign(target[tuple(at)], value if isinstance(value, Record) else value[tuple(at)])
        return
    if np.shape(value) and np.may_share_memory(target, value):
        value = np.array(value)
    np.copyto(target, value, where=mask)


def assign_allocatable(cell: Allocatable, value: Any) -> None:
    """`cell = value` for an allocatable array; a scalar fills what is allocated."""
    assignment.assign_allocatable(cell, value)


def allocate_new(
    cell: Any, element: Any, lower: tuple[Any, ...] | None = None, upper: tuple[Any, ...] | None = None,
    cleared: bool = True,
) -> None:  # fmt: skip
    """allocate: fresh storage in a cell; of anything where it need not be `cleared`."""
    if upper is None or lower is None:
        storage = new_data(element, ())
    else:
        storage = new_array(element, tuple(int(i) for i in lower), tuple(int(i) for i in upper), cleared)
    assignment.allocate(cell, storage)


def allocate_like(
    cell: Any, source: Any, with_value: bool, lower: tuple[Any, ...] | None = None, upper: tuple[Any, ...] | None = None
) -> None:
    """allocate with source= or mold=."""
    element = element_of(source)
    data = data_of(source)
    if lower is not None and upper is not None:
        storage: Any = new_array(element, tuple(int(i) for i in lower), tuple(int(i) for i in upper))
    elif shape_of(data) == ():
        storage = new_data(element, ())
    else:
        low = source.lower if isinstance(source, Array) else (1,) * len(shape_of(data))
        storage = Array(new_data(element, shape_of(data)), low)
    if with_value:
        assign(storage, copy_value(data))
    assignment.allocate(cell, storage)


def associated_with(pointer: Pointer, target: Any) -> np.bool_:
    """associated(pointer, target) where the target may itself be a cell without content."""
    if isinstance(target, (Pointer, Allocatable)) and held(target) is None:
        return np.False_
    return np.False_ if target is None else associated(pointer, target)


def point_at_procedure(pointer: Pointer, target: Any) -> None:
    """Procedure pointer assignment."""
    pointer.target = target.target if isinstance(target, Pointer) else target


def dynamic(storage: Any) -> Any:
    """The object that select type looks at."""
    return held(storage) if isinstance(storage, (Pointer, Allocatable)) else storage


def _layout(storage: Any) -> Any:
    return getattr(data_of(storage), "layout", None)


def is_type(storage: Any, type_id: str, exact: bool) -> bool:
    """`type is` (exact) or `class is` for a derived type."""
    layout = _layout(storage)
    if layout is None:
        return False
    return bool(layout.type_id == type_id) if exact else bool(layout.extends(type_id))


def is_intrinsic(storage: Any, dtype: np.dtype[Any]) -> bool:
    """`type is` for an intrinsic type."""
    here = getattr(data_of(storage), "dtype", None)
    return here is not None and (here == dtype or (dtype.kind == "S" and here.kind == "S"))


def bound(bindings: dict[str, dict[str, Any]], storage: Any, name: str) -> Any:
    """The procedure that a type-bound name means for the dynamic type of an object."""
    layout = _layout(dynamic(storage))
    if layout is None or name not in bindings.get(layout.type_id, {}):
        raise FortranRuntimeError(f"the object has no type-bound procedure {name}")
    return bindings[layout.type_id][name]
