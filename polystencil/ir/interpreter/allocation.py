"""allocate and deallocate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polystencil.errors import FortranRuntimeError, UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.interpreter import designators
from polystencil.ir.types import Intrinsic, Record, Type
from polystencil.ir.typing import rank_of, type_of
from polystencil.semantics.assignment import allocate, assign, copy_value, deallocate
from polystencil.semantics.values import Array, element_of, new_array, new_data

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure

_ALREADY, _NOT_ALLOCATED = 5014, 1  # the stat= values that gfortran gives


def _set_status(c: Compiler, stat: x.Expression | None, errmsg: x.Expression | None) -> Any:
    """What stores a status and, for errors, the message."""
    status = None if stat is None else c.variable(stat)
    message = None if errmsg is None else c.variable(errmsg)

    def store(f: Any, code: int, text: str) -> None:
        if status is not None:
            status(f)[()] = code
        if message is not None and code:
            assign(message(f), text.encode())

    return store


def _with_status(action: Closure, store: Any, has_stat: bool, code: int, text: str) -> Closure:
    """The action with stat= and errmsg= served; their values are those of gfortran."""
    if not has_stat:
        return action

    def run(f: Any) -> None:
        try:
            action(f)
            store(f, 0, "")
        except FortranRuntimeError:
            store(f, code, text)

    return run


def compile_allocate(c: Compiler, statement: s.Allocate) -> Closure:
    """allocate with bounds, source=, mold=, a type, stat= and errmsg=."""
    source = statement.source if statement.source is not None else statement.mold
    fill = statement.source is not None
    like = None if source is None else c.variable(source)
    whole = source is not None and isinstance(source, (x.Ref, x.Component)) and rank_of(source) > 0
    steps = [_one(c, a, statement.type, like, fill, whole) for a in statement.allocations]

    def action(f: Any) -> None:
        for step in steps:
            step(f)

    store = _set_status(c, statement.stat, statement.errmsg)
    return _with_status(action, store, statement.stat is not None, _ALREADY, "Attempt to allocate an allocated object")


def _one(c: Compiler, a: s.Allocation, given: Type | None, like: Closure | None, fill: bool, whole: bool) -> Closure:
    cell, name, rank = c.cell(a.object), designators.name_of(c, a.object), rank_of(a.object)
    declared = type_of(a.object)
    element = c.element(given if given is not None else declared)
    open_type = given is None and (
        (isinstance(declared, Record) and declared.polymorphic)
        or (isinstance(declared, Intrinsic) and declared.length == ":")
    )
    lower = [None if low is None else c.number(low) for low, _ in a.bounds]
    upper = [c.number(high) for _, high in a.bounds]
    if rank and not a.bounds and like is None:
        raise UnsupportedError(f"allocate({name}) needs bounds")

    def run(f: Any) -> None:
        model = None if like is None else like(f)
        data = model.data if isinstance(model, Array) else model
        kind = element_of(data) if open_type and data is not None else element(f)
        if kind is None:
            raise FortranRuntimeError(f"allocate({name}) needs a type")
        if rank == 0:
            storage = new_data(kind, ())
        elif upper:
            storage = new_array(
                kind, tuple(1 if b is None else b(f) for b in lower), tuple(b(f) for b in upper)
            )
        else:
            assert isinstance(model, Array)
            shape = model.data.shape
            low = model.lower if whole else (1,) * rank
            storage = new_array(kind, low, tuple(b + n - 1 for b, n in zip(low, shape, strict=True)))
        if fill and data is not None:
            assign(storage, copy_value(data))
        try:
            allocate(cell(f), storage)
        except FortranRuntimeError:
            raise FortranRuntimeError(f"Attempting to allocate already allocated variable '{name}'") from None

    return run


def compile_deallocate(c: Compiler, statement: s.Deallocate) -> Closure:
    """deallocate with stat= and errmsg=."""
    cells = [(c.cell(e), designators.name_of(c, e)) for e in statement.objects]

    def action(f: Any) -> None:
        for cell, name in cells:
            try:
                deallocate(cell(f))
            except FortranRuntimeError:
                raise FortranRuntimeError(f"Attempt to DEALLOCATE unallocated '{name}'") from None

    store = _set_status(c, statement.stat, statement.errmsg)
    text = "Attempt to deallocate an unallocated object"
    return _with_status(action, store, statement.stat is not None, _NOT_ALLOCATED, text)
