"""How one variable stands for another: pointer association, sequence association of arguments, copy-in/copy-out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError
from polystencil.semantics.assignment import assign, copy_value
from polystencil.semantics.values import Allocatable, Array, Data, Pointer, Record, RecordArray

CopyBack = Callable[[], None]


def element_count(shape: tuple[int, ...]) -> int:
    """The number of elements of a shape."""
    n = 1
    for extent in shape:
        n *= extent
    return n


def reshaped(data: Data, shape: tuple[int, ...]) -> Data:
    """`data` with another shape of as many elements, in element order; a view where strides allow it."""
    if isinstance(data, RecordArray):
        fields = {}
        for name, leaf in data.fields.items():
            extra = tuple(leaf.shape[len(data.shape) :])
            fields[name] = reshaped(leaf, shape + extra)
        return RecordArray(data.layout, fields, shape)
    return data.reshape(shape, order="F")


def leading(data: Data, start: int, count: int) -> Data:
    """Elements `start` (from 0) to `start + count` of a rank-1 value, as a view."""
    return data[(slice(start, start + count),)] if isinstance(data, RecordArray) else data[start : start + count]


def is_contiguous(data: Data) -> bool:
    """Whether the elements lie in element order without gaps (leaf by leaf for records)."""
    if isinstance(data, RecordArray):
        return all(is_contiguous(leaf) for leaf in data.fields.values())
    return bool(data.flags.f_contiguous)


def as_explicit_shape(
    data: Data, lower: tuple[int, ...], upper: tuple[int | None, ...], start: int = 0
) -> tuple[Array, CopyBack | None]:
    """An actual array as an explicit-shape or assumed-size dummy (last upper None), from element `start` (0-based) on.

    The second result is what to call after the procedure returns when a copy had to be made, else None.
    """
    if len(upper) == 1 and upper[0] is not None and len(data.shape) == 1 and is_contiguous(data):
        n = max(0, int(upper[0]) - int(lower[0]) + 1)
        if start + n <= data.shape[0]:  # the common case, without the general arithmetic
            return Array(leading(data, start, n), (int(lower[0]),)), None
    available = element_count(tuple(data.shape)) - start
    fixed = [max(0, int(high) - int(low) + 1) for low, high in zip(lower, upper, strict=True) if high is not None]
    count = element_count(tuple(fixed))
    if len(fixed) < len(upper):
        last = max(0, available) // count if count else 0
        fixed.append(last)
        count *= last
    if count > available:
        raise FortranRuntimeError(
            f"the dummy argument has {count} elements, but the actual argument only {max(0, available)}"
        )
    shape, low = tuple(fixed), tuple(int(i) for i in lower)
    if tuple(data.shape) == shape and is_contiguous(data):
        return Array(data, low), None
    if is_contiguous(data):
        flat = reshaped(data, (element_count(tuple(data.shape)),))
        return Array(reshaped(leading(flat, start, count), shape), low), None
    flat = reshaped(copy_value(data), (element_count(tuple(data.shape)),))
    dummy = Array(reshaped(leading(flat, start, count), shape), low)
    original = None if isinstance(flat, RecordArray) else flat.tobytes()
    whole = tuple(data.shape)

    def back() -> None:
        if original is None or flat.tobytes() != original:  # what was not written is not written back
            assign(data, reshaped(flat, whole))

    return dummy, back


def element_position(array: Array, subscripts: tuple[int, ...]) -> int:
    """The 0-based place of an element in element order."""
    place, step = 0, 1
    for subscript, lower, n in zip(subscripts, array.lower, array.data.shape, strict=True):
        place += (int(subscript) - lower) * step
        step *= n
    return place


def as_assumed_shape(data: Data, lower: tuple[int, ...]) -> Array:
    """An actual array as an assumed-shape dummy with these lower bounds; always a view."""
    return Array(data, tuple(int(low) if n else 1 for low, n in zip(lower, data.shape, strict=True)))


def contiguous_copy(data: Data) -> tuple[Data, CopyBack | None]:
    """`data` itself when contiguous, else a contiguous copy and the action that copies it back."""
    if is_contiguous(data):
        return data, None
    copy = copy_value(data)
    return copy, lambda: assign(data, copy)


def associate(
    pointer: Pointer, target: Any, lower: tuple[int, ...] | None = None, upper: tuple[int | None, ...] | None = None
) -> None:
    """`pointer => target`, `pointer(lower:) => target`, `pointer(lower:upper) => target`.

    `target` is storage (0-d ndarray, Array, Record), a procedure, a Pointer or Allocatable (its content), or None.
    """
    if isinstance(target, Pointer):
        target = target.target
    elif isinstance(target, Allocatable):
        target = target.value
    if target is None or lower is None:
        pointer.target = Array(target.data, target.lower) if isinstance(target, Array) else target
        return
    low = tuple(int(i) for i in lower)
    if upper is None or all(u is None for u in upper):
        pointer.target = Array(target.data, low)
        return
    shape = tuple(max(0, int(u) - b + 1) for b, u in zip(low, upper, strict=True) if u is not None)
    count, available = element_count(shape), element_count(tuple(target.data.shape))
    if count > available:
        raise FortranRuntimeError(f"a pointer of {count} elements is associated with a target of only {available}")
    flat = target.data if len(target.data.shape) == 1 else reshaped(target.data, (available,))
    pointer.target = Array(reshaped(leading(flat, 0, count), shape), low)


def associated(pointer: Pointer, target: Any = None) -> np.bool_:
    """associated(pointer[, target]); `target` as in `associate`."""
    if pointer.target is None:
        return np.False_
    if target is None:
        return np.True_
    if isinstance(target, Pointer):
        target = target.target
    elif isinstance(target, Allocatable):
        target = target.value
    return np.bool_(target is not None and _same_place(pointer.target, target))


def _same_place(a: Any, b: Any) -> bool:
    a, b = (v.data if isinstance(v, Array) else v for v in (a, b))
    if a is b:
        return True
    if isinstance(a, (Record, RecordArray)) and isinstance(b, (Record, RecordArray)):
        if a.fields is b.fields:
            return True
        if getattr(a, "shape", ()) != getattr(b, "shape", ()):
            return False
        return any(
            _same_place(leaf, b.fields[name]) for name, leaf in a.fields.items() if name in b.fields
        )
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.size == 0 or a.shape != b.shape or a.__array_interface__["data"][0] != b.__array_interface__["data"][0]:
            return False
        return a.size == 1 or all(x == y for x, y, n in zip(a.strides, b.strides, a.shape, strict=True) if n > 1)
    return False


def content(cell: Allocatable | Pointer, name: str = "variable") -> Any:
    """What an allocatable or pointer holds; an error when it holds nothing."""
    held = cell.value if isinstance(cell, Allocatable) else cell.target
    if held is None:
        state = "not allocated" if isinstance(cell, Allocatable) else "not associated"
        raise FortranRuntimeError(f"{name} is used but {state}")
    return held
