"""Intrinsics that look at variables rather than values, and intrinsic subroutines, for host programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError, UnsupportedError
from polystencil.semantics import association, bits, system
from polystencil.semantics.assignment import assign
from polystencil.semantics.intrinsics import apply_intrinsic
from polystencil.semantics.transfer import element_size
from polystencil.semantics.values import Array, element_of

intrinsic = apply_intrinsic


def is_contiguous(data: Any) -> bool:
    """Whether the elements of an array lie without gaps."""
    return association.is_contiguous(data)


def from_bits(value: int, dtype: np.dtype[Any]) -> Any:
    """A binary, octal or hexadecimal constant as a number of a type."""
    raw = (value & ((1 << (8 * dtype.itemsize)) - 1)).to_bytes(dtype.itemsize, "little")
    return np.frombuffer(raw, dtype)[0]


def _vector(values: tuple[int, ...], dtype: np.dtype[Any], dim: Any) -> Any:
    if dim is None:
        return np.array(values, dtype)
    if not 1 <= int(dim) <= len(values):
        raise FortranRuntimeError(f"dimension {int(dim)} of an array of rank {len(values)}")
    return dtype.type(values[int(dim) - 1])


def lbound(array: Array, dtype: np.dtype[Any], dim: Any = None) -> Any:
    low = tuple(low if n else 1 for low, n in zip(array.lower, array.data.shape, strict=True))
    return _vector(low, dtype, dim)


def ubound(array: Array, dtype: np.dtype[Any], dim: Any = None) -> Any:
    high = tuple(low + n - 1 if n else 0 for low, n in zip(array.lower, array.data.shape, strict=True))
    return _vector(high, dtype, dim)


def size(array: Any, dtype: np.dtype[Any], dim: Any = None) -> Any:
    extents = array.data.shape
    return dtype.type(int(np.prod(extents, dtype=np.int64))) if dim is None else _vector(extents, dtype, dim)


def shape(array: Any, dtype: np.dtype[Any]) -> Any:
    return np.array(array.data.shape, dtype)


def same_type_as(a: Any, b: Any) -> Any:
    return np.bool_(element_of(a) == element_of(b))


def extends_type_of(a: Any, mold: Any) -> Any:
    return np.bool_(element_of(a).extends(element_of(mold).type_id))


def storage_size(a: Any, *_: Any) -> Any:
    return np.int32(8 * element_size(element_of(a)))


def call_intrinsic(name: str, *arguments: Any) -> None:
    """An intrinsic subroutine; arguments that it changes are storage."""
    a = [*arguments, None, None, None, None, None, None]
    match name:
        case "move_alloc":
            a[1].value, a[0].value = a[0].value, None
        case "system_clock":
            first = next((v for v in arguments if v is not None), None)
            if first is not None:
                for place, value in zip(arguments, system.system_clock(first.dtype), strict=False):
                    if place is not None:
                        place[...] = value
        case "cpu_time":
            a[0][...] = system.cpu_time()
        case "date_and_time":
            for place, value in zip(arguments, system.date_and_time(), strict=False):
                if place is not None:
                    assign(place, value)
        case "random_number":
            system.random_number(a[0].data if isinstance(a[0], Array) else a[0])
        case "random_seed":
            if a[0] is not None:
                a[0][...] = system.RANDOM_SEED_SIZE
            if a[2] is not None:
                assign(a[2], system.random_seed_state())
            if a[1] is not None or (a[0] is None and a[2] is None):
                put = a[1].data if isinstance(a[1], Array) else a[1]
                system.random_seed(put)
        case "random_init":
            system.random_seed()
        case "get_command_argument":
            text, code = system.command_argument(a[0][()] if hasattr(a[0], "shape") else a[0])
            _text_result(text, code, a[1], a[2], a[3])
        case "get_command":
            _text_result(system.whole_command(), 0, a[0], a[1], a[2])
        case "get_environment_variable":
            name_ = a[0] if isinstance(a[0], bytes) else a[0].tobytes()
            text, code = system.environment_variable(name_)
            _text_result(text, code, a[1], a[2], a[3])
        case "mvbits":
            values = [v[()] if isinstance(v, np.ndarray) and v.shape == () else v for v in a[:5]]
            a[3][...] = bits.mvbits(values[0], values[1], values[2], values[3], values[4])
        case "execute_command_line":
            system.refuse_command()
        case _:
            raise UnsupportedError(f"the intrinsic subroutine {name} is not supported")


def _text_result(text: bytes, code: int, value: Any, length: Any, status: Any) -> None:
    if value is not None:
        assign(value, text)
        if status is not None and code == 0 and value.dtype.itemsize < len(text):
            code = -1
    if length is not None:
        length[...] = len(text)
    if status is not None:
        status[...] = code
