"""Array and structure constructors, and implied-do lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.errors import FortranRuntimeError
from polystencil.ir import expressions as x
from polystencil.ir.interpreter import designators
from polystencil.ir.interpreter.layouts import number_dtype
from polystencil.ir.types import Intrinsic, Record
from polystencil.ir.typing import rank_of
from polystencil.semantics.assignment import assign, copy_value
from polystencil.semantics.rearrangement import concatenate
from polystencil.semantics.values import Allocatable, Array, Pointer, fit_width, new_data, new_record

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


def compile_implied_do(c: Compiler, e: x.ImpliedDo, inner: Any, keep_variable: bool = True) -> Any:
    """A generator function over the frame that sets the variable and yields from `inner` for every iteration.

    `keep_variable`: the variable has its old value afterwards (constructors), else it ends like a do variable.
    """
    variable = c.variable(e.variable)
    lower, upper = c.number(e.lower), c.number(e.upper)
    step = (lambda _: 1) if e.step is None else c.number(e.step)

    def run(f: Any) -> Iterator[Any]:
        storage = variable(f)
        saved = storage[()]
        first, by = lower(f), step(f)
        if by == 0:
            raise FortranRuntimeError("the step of an implied do is zero")
        count = max(0, (upper(f) - first + by) // by)
        for k in range(count):
            storage[()] = first + k * by
            yield from inner(f)
        storage[()] = saved if keep_variable else first + count * by

    return run


def _item_values(c: Compiler, items: tuple[x.Expression, ...]) -> Any:
    """A generator function that gives the values of the items in order."""
    parts = []
    for item in items:
        if isinstance(item, x.ImpliedDo):
            parts.append(compile_implied_do(c, item, _item_values(c, item.items)))
        else:
            parts.append(_one(c, item))

    def run(f: Any) -> Iterator[Any]:
        for part in parts:
            yield from part(f)

    return run


def _one(c: Compiler, item: x.Expression) -> Any:
    value = c.value(item)

    def run(f: Any) -> Iterator[Any]:
        yield value(f)

    return run


def compile_array(c: Compiler, e: x.ArrayConstructor) -> Closure:
    """`[...]`: rank 1; text has the declared length, or that of the longest item."""
    values = _item_values(c, e.items)
    dtype = number_dtype(e.type)
    if dtype is not None:
        if all(rank_of(i) == 0 and not isinstance(i, x.ImpliedDo) for i in e.items):
            scalars = [c.value(i) for i in e.items]
            return lambda f: np.array([s(f) for s in scalars], dtype)
        empty = np.zeros(0, dtype)

        def numbers(f: Any) -> Any:
            parts = [np.asarray(v).ravel(order="F") for v in values(f)]
            return np.concatenate(parts).astype(dtype, copy=False) if parts else empty.copy()

        return numbers
    fixed = isinstance(e.type, Intrinsic) and isinstance(e.type.length, x.Expression)
    element = c.element(e.type) if fixed or isinstance(e.type, Record) else None

    def others(f: Any) -> Any:
        parts = list(values(f))
        if not parts:
            return new_data(np.dtype("S0") if element is None else element(f), (0,))
        joined = concatenate([copy_value(p) for p in parts])
        return fit_width(joined, element(f).itemsize) if fixed and element is not None else joined

    return others


def compile_structure(c: Compiler, e: x.StructureConstructor) -> Closure:
    """`type_name(...)`: a fresh record with the given components, defaults for the others."""
    assert isinstance(e.type, Record)
    layout = c.machine.layouts.of(e.type.id)
    components = c.machine.table.types[e.type.id].components
    setters = []
    for symbol, given in zip(components, e.components, strict=False):
        if given is not None:
            setters.append(_component_setter(c, symbol, given))

    def build(f: Any) -> Any:
        record = new_record(layout)
        for setter in setters:
            setter(f, record.fields)
        return record

    return build


def _component_setter(c: Compiler, symbol: Any, given: x.Expression) -> Any:
    name = symbol.name
    if designators.holds_cell(symbol) and "allocatable" not in symbol.attributes:
        target = c.pointer_target(given)

        def point(f: Any, fields: Any) -> None:
            fields[name] = Pointer(target(f))

        return point
    if "allocatable" in symbol.attributes:
        return _allocatable_setter(c, symbol, given)
    value = c.value(given)

    def store(f: Any, fields: Any) -> None:
        assign(fields[name], value(f))

    return store


def _allocatable_setter(c: Compiler, symbol: Any, given: x.Expression) -> Any:
    name = symbol.name
    if isinstance(given, x.Null):
        return lambda _, _fields: None
    if designators.is_cell(c, given):
        cell = c.cell(given)

        def copy_cell(f: Any, fields: Any) -> None:
            source = cell(f)
            held = source.value if isinstance(source, Allocatable) else source.target
            fields[name] = Allocatable(copy_value(held))

        return copy_cell
    variable = c.variable(given)

    def allocate(f: Any, fields: Any) -> None:
        storage = copy_value(variable(f))
        if isinstance(storage, Array) and rank_of(given):
            storage = Array(storage.data, (1,) * len(storage.lower))
        fields[name] = Allocatable(storage)

    return allocate
