"""Static storage: module, saved, common and main program variables, their initial values and data statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.interpreter import designators
from polystencil.ir.interpreter.compiler import Compiler
from polystencil.ir.interpreter.variables import compile_creator, initial_setter
from polystencil.ir.program import DataValue, Symbol
from polystencil.ir.traversal import procedures_of
from polystencil.ir.types import Intrinsic
from polystencil.semantics.assignment import assign, convert
from polystencil.semantics.sections import assign_section
from polystencil.semantics.values import Array, block_view

if TYPE_CHECKING:
    from polystencil.ir.interpreter.machine import Machine


def initialise(machine: Machine) -> None:
    """Create all static storage, then give it its initial values: declarations first, data statements after."""
    frame: list[Any] = [None]
    for id in machine.symbols:
        if id in machine.static and id not in machine.storage:
            create(machine, id)
    for id, storage in machine.storage.items():
        symbol = machine.symbols[id]
        if "parameter" not in symbol.attributes:
            setter = initial_setter(_compiler(machine, machine.table.owner[id]), symbol)
            if setter is not None:
                setter(frame, storage)
    all_data = [(m.id, m.data) for m in machine.program.modules]
    all_data += [(p.id, p.data) for p in procedures_of(machine.program)]
    for owner, values in all_data:
        for data in values:
            _apply(_compiler(machine, owner), data, frame)


def _compiler(machine: Machine, owner: str) -> Compiler:
    return Compiler(machine, machine.scope(owner))


def create(machine: Machine, id: str) -> None:
    """Storage of one static variable; a parameter has its value at once, others can use it in theirs."""
    symbol, frame = machine.symbols[id], list[Any]([None])
    c = _compiler(machine, machine.table.owner[id])
    if symbol.block is not None:
        machine.storage[id] = _in_block(machine, c, symbol, frame)
        return
    creator = compile_creator(c, symbol)
    if creator is None:
        return
    machine.storage[id] = storage = creator(frame)
    if "parameter" in symbol.attributes:
        setter = initial_setter(c, symbol)
        if setter is not None:
            setter(frame, storage)


def _in_block(machine: Machine, c: Compiler, symbol: Symbol, frame: list[Any]) -> Any:
    """A view of a common block or equivalence class."""
    if not isinstance(symbol.type, Intrinsic):
        raise UnsupportedError(f"{symbol.name}: a derived type in common or equivalence is not supported", symbol.span)
    element = c.element(symbol.type)(frame)
    lower, shape = [], []
    for d in symbol.shape or ():
        low = 1 if d.lower is None else c.number(d.lower)(frame)
        assert isinstance(d.upper, x.Expression)
        lower.append(low)
        shape.append(max(0, c.number(d.upper)(frame) - low + 1))
    size = symbol.type.kind if symbol.type.base == "logical" else element.itemsize
    block = machine.blocks[symbol.block or ""]
    need = symbol.offset + size * int(np.prod(shape, dtype=np.int64))
    if need > block.size:
        raise UnsupportedError(f"{symbol.name} ends behind its storage block", symbol.span)
    view = block_view(block, symbol.offset, element, tuple(shape), size)
    if element.kind == "S" and element.itemsize and not view.tobytes().strip(b"\0"):
        view[...] = b" " * element.itemsize
    return Array(view, tuple(lower)) if symbol.shape is not None else view


def _apply(c: Compiler, data: DataValue, frame: list[Any]) -> None:
    """One value of a data statement."""
    value = c.value(data.value)(frame)
    target = data.target
    if isinstance(target, x.Section):
        array, subscripts = c.variable(target.base)(frame), designators.compile_subscripts(c, target.subscripts)(frame)
        assign_section(array, subscripts, value)
        return
    if designators.is_cell(c, target):
        if isinstance(data.value, x.Null):
            return
        from polystencil.semantics.association import associate

        associate(c.cell(target)(frame), c.pointer_target(data.value)(frame))
        return
    storage = c.variable(target)(frame)
    dtype = (storage.data if isinstance(storage, Array) else storage).dtype
    if not isinstance(value, bytes) and value.dtype != dtype and dtype.kind != "S":
        value = convert(value, dtype)
    assign(storage, value)
