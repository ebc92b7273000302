"""Intrinsic functions: those that ask about variables here, all others from the table of `semantics.intrinsics`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.errors import FortranRuntimeError, UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.interpreter import designators
from polystencil.ir.interpreter.layouts import number_dtype
from polystencil.ir.types import Intrinsic, Record
from polystencil.ir.typing import rank_of, type_of
from polystencil.semantics import arithmetic, transfer
from polystencil.semantics.association import associated, is_contiguous
from polystencil.semantics.intrinsics import INTRINSICS
from polystencil.semantics.values import Allocatable, Array, Pointer, RecordArray, shape_of
from polystencil.semantics.values import Record as RecordValue

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


def compile_intrinsic(c: Compiler, e: x.IntrinsicCall) -> Closure:
    """The closure of an intrinsic function reference."""
    special = _SPECIAL.get(e.name)
    if special is not None:
        return special(c, e)  # type: ignore[no-any-return]  # the table holds makers of closures
    function = INTRINSICS.get(e.name)
    if function is None:
        raise UnsupportedError(f"the intrinsic function {e.name} is not supported")
    arguments = [(lambda _: None) if a is None else c.value(a) for a in e.arguments]
    return apply(e, arguments)


def apply(e: x.IntrinsicCall, arguments: list[Closure]) -> Closure:
    """The call of a table function with argument closures; the result has the type of `e`."""
    function = _typed(e)
    if len(arguments) == 1:
        (only,) = arguments
        return lambda f: function(only(f))
    return lambda f: function(*[a(f) for a in arguments])


def value_function(e: x.IntrinsicCall) -> Callable[..., Any] | None:
    """The function of argument values that an intrinsic stands for; None for those that need more than values."""
    return None if e.name in _SPECIAL or e.name not in INTRINSICS else _typed(e)


def _typed(e: x.IntrinsicCall) -> Callable[..., Any]:
    """The table function whose result has the type of `e`."""
    function, dtype = INTRINSICS[e.name], number_dtype(e.type)
    if dtype is None:
        return lambda *values: function(None, *values)
    if e.rank == 0 and e.name in _DIRECT:
        return _DIRECT[e.name]
    if e.rank == 0 and e.name in ("abs", "sqrt") and e.arguments[0] is not None and not _is_complex(e.arguments[0]):
        return abs if e.name == "abs" else np.sqrt

    def call(*values: Any) -> Any:
        value = function(dtype, *values)
        found = getattr(value, "dtype", None)
        if found is None:
            return dtype.type(value)
        if found != dtype:
            value = value.astype(dtype)
        return value[()] if value.shape == () else value

    return call


def _is_complex(e: x.Expression) -> bool:
    dtype = number_dtype(type_of(e))
    return dtype is None or dtype.kind == "c"


# functions of scalars whose result has the right type by itself
_DIRECT: dict[str, Callable[..., Any]] = {
    "max": arithmetic.maximum, "min": arithmetic.minimum, "mod": arithmetic.mod, "modulo": arithmetic.modulo,
}  # fmt: skip


def _optional_argument(_c: Compiler, e: x.IntrinsicCall, k: int) -> x.Expression | None:
    return e.arguments[k] if k < len(e.arguments) else None


def _present(c: Compiler, e: x.IntrinsicCall) -> Closure:
    argument = e.arguments[0]
    assert isinstance(argument, x.Ref)
    read = designators.raw(c, argument.id)
    return lambda f: np.bool_(read(f) is not None)


def _allocated(c: Compiler, e: x.IntrinsicCall) -> Closure:
    argument = e.arguments[0]
    assert argument is not None
    cell = c.cell(argument)
    return lambda f: np.bool_(cell(f).value is not None)


def _associated(c: Compiler, e: x.IntrinsicCall) -> Closure:
    pointer, target = e.arguments[0], _optional_argument(c, e, 1)
    assert pointer is not None
    cell = c.cell(pointer)
    if target is None:
        return lambda f: np.bool_(cell(f).target is not None)
    other = c.pointer_target(target)

    def both(f: Any) -> Any:
        second = other(f)
        return np.False_ if second is None else associated(cell(f), second)

    return both


def _array_argument(c: Compiler, e: x.Expression) -> Closure:
    """An Array with the bounds that inquiries see: its own for a whole variable, 1 for anything else."""
    if isinstance(e, x.Ref) or (isinstance(e, x.Component) and rank_of(e.base) == 0):
        return c.variable(e)
    value, rank = c.value(e), rank_of(e)
    return lambda f: Array(value(f), (1,) * rank)


def _bound(c: Compiler, e: x.IntrinsicCall) -> Closure:
    argument, dim, dtype = e.arguments[0], _optional_argument(c, e, 1), number_dtype(e.type)
    assert argument is not None
    assert dtype is not None
    array, is_lower = _array_argument(c, argument), e.name == "lbound"

    def all_bounds(f: Any) -> list[int]:
        a = array(f)
        shape = a.data.shape
        if is_lower:
            return [low if n else 1 for low, n in zip(a.lower, shape, strict=True)]
        return [low + n - 1 if n else 0 for low, n in zip(a.lower, shape, strict=True)]

    if dim is None:
        return lambda f: np.array(all_bounds(f), dtype)
    number = c.number(dim)

    def one(f: Any) -> Any:
        bounds, k = all_bounds(f), number(f)
        if not 1 <= k <= len(bounds):
            raise FortranRuntimeError(f"dim={k} for an array of rank {len(bounds)}")
        return dtype.type(bounds[k - 1])

    return one


def _size(c: Compiler, e: x.IntrinsicCall) -> Closure:
    argument, dim, dtype = e.arguments[0], _optional_argument(c, e, 1), number_dtype(e.type)
    assert argument is not None
    assert dtype is not None
    value = c.value(argument)
    if dim is None:
        return lambda f: dtype.type(value(f).size)
    number = c.number(dim)
    rank = rank_of(argument)

    def extent(f: Any) -> Any:
        k = number(f)
        if not 1 <= k <= rank:
            raise FortranRuntimeError(f"dim={k} for an array of rank {rank}")
        return dtype.type(value(f).shape[k - 1])

    return extent


def _len(c: Compiler, e: x.IntrinsicCall) -> Closure:
    argument, dtype = e.arguments[0], number_dtype(e.type)
    assert argument is not None
    assert dtype is not None
    if isinstance(argument, (x.Ref, x.Component)):
        variable = c.variable(argument)

        def of_storage(f: Any) -> Any:
            storage = variable(f)
            return dtype.type((storage.data if isinstance(storage, Array) else storage).dtype.itemsize)

        return of_storage
    value = c.value(argument)

    def of_value(f: Any) -> Any:
        v = value(f)
        return dtype.type(len(v) if isinstance(v, bytes) else v.dtype.itemsize)

    return of_value


def _is_contiguous(c: Compiler, e: x.IntrinsicCall) -> Closure:
    assert e.arguments[0] is not None
    value = c.value(e.arguments[0])
    return lambda f: np.bool_(is_contiguous(value(f)))


def _dynamic_type(c: Compiler, e: x.Expression) -> Closure:
    """The layout (or dtype) that an object has at run time; the declared one when it is not allocated."""
    t = type_of(e)
    declared = c.machine.layouts.of(t.id) if isinstance(t, Record) and t.id != "*" else None
    target = c.pointer_target(e)

    def layout(f: Any) -> Any:
        held = target(f)
        data = held.data if isinstance(held, Array) else held
        if data is None:
            return declared
        return data.layout if isinstance(data, (RecordValue, RecordArray)) else data.dtype

    return layout


def _type_inquiry(c: Compiler, e: x.IntrinsicCall) -> Closure:
    a, b = e.arguments
    assert a is not None
    assert b is not None
    first, second = _dynamic_type(c, a), _dynamic_type(c, b)
    if e.name == "same_type_as":
        return lambda f: np.bool_(first(f) == second(f))

    def extends(f: Any) -> Any:
        mold = second(f)
        return np.bool_(mold is None or (first(f) is not None and first(f).extends(mold.type_id)))

    return extends


def _boz_real(c: Compiler, e: x.IntrinsicCall) -> Closure:
    argument = e.arguments[0]
    dtype = number_dtype(e.type)
    assert dtype is not None
    if isinstance(argument, x.Boz):
        bits = argument.value & (2 ** (8 * dtype.itemsize) - 1)
        value = np.frombuffer(bits.to_bytes(dtype.itemsize, sys.byteorder), dtype)[0]
        return lambda _: value
    arguments = [(lambda _: None) if a is None else c.value(a) for a in e.arguments]
    return apply(e, arguments)


def _storage_size(c: Compiler, e: x.IntrinsicCall) -> Closure:
    assert e.arguments[0] is not None
    dtype = number_dtype(e.type)
    assert dtype is not None
    t = type_of(e.arguments[0])
    if isinstance(t, Intrinsic) and t.base == "logical":
        bits = dtype.type(8 * t.kind)
        return lambda _: bits
    element = _dynamic_type(c, e.arguments[0])
    return lambda f: dtype.type(8 * transfer.element_size(element(f)))


def _transfer(c: Compiler, e: x.IntrinsicCall) -> Closure:
    source, mold, size = e.arguments[0], e.arguments[1], _optional_argument(c, e, 2)
    assert source is not None
    assert mold is not None
    value, like = c.value(source), c.value(mold)
    count = (lambda _: None) if size is None else c.value(size)
    t = type_of(mold)
    if isinstance(t, Intrinsic) and t.base == "logical" and t.kind != 4:
        raise UnsupportedError("transfer to a logical of another kind than 4")
    return lambda f: transfer.transfer(value(f), like(f), count(f))


def _kind(_c: Compiler, e: x.IntrinsicCall) -> Closure:
    assert e.arguments[0] is not None
    t = type_of(e.arguments[0])
    assert isinstance(t, Intrinsic)
    kind = np.int32(t.kind)
    return lambda _: kind


def _text_constant(_c: Compiler, e: x.IntrinsicCall) -> Closure:
    text = b"polystencil" if e.name == "compiler_version" else b""
    return lambda _: text


_SPECIAL: dict[str, Any] = {
    "present": _present, "allocated": _allocated, "associated": _associated, "lbound": _bound, "ubound": _bound,
    "size": _size, "len": _len, "is_contiguous": _is_contiguous, "same_type_as": _type_inquiry,
    "extends_type_of": _type_inquiry, "real": _boz_real, "storage_size": _storage_size, "transfer": _transfer,
    "kind": _kind, "compiler_version": _text_constant, "compiler_options": _text_constant,
}  # fmt: skip

__all__ = ["Allocatable", "Pointer", "apply", "compile_intrinsic", "shape_of"]
