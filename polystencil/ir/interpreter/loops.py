"""Loops: counted, while, and parallel ones, whose iterations run one after the other in a chosen order."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from polystencil.errors import FortranRuntimeError
from polystencil.ir import statements as s
from polystencil.ir.interpreter import control, designators
from polystencil.ir.interpreter.variables import compile_creator
from polystencil.ir.types import Record
from polystencil.semantics.assignment import assign, copy_value
from polystencil.semantics.values import Allocatable, Pointer, new_record

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


def _loop_body(c: Compiler, name: str, body: s.Body) -> tuple[Closure, control.Signal, control.Signal]:
    """The compiled body of a construct with its exit and cycle signals."""
    jumps, before = control.jumps_for(name), c.jumps.get(name)
    c.jumps[name] = jumps
    closure = c.body(body)
    if before is not None:
        c.jumps[name] = before
    return closure, jumps.exit, jumps.cycle


def compile_do(c: Compiler, statement: s.Do) -> Closure:
    """Bounds are evaluated once; afterwards the variable has the first value that was not used."""
    index, lower, upper = c.variable(statement.index), c.number(statement.lower), c.number(statement.upper)
    step = c.number(statement.step)
    body, leave, again = _loop_body(c, statement.name, statement.body)

    def run(f: Any) -> Any:
        storage, first, last, by = index(f), lower(f), upper(f), step(f)
        if by == 0:
            raise FortranRuntimeError("the step of a do loop is zero")
        count = max(0, (last - first + by) // by)
        end = first + count * by
        for k in range(first, end, by):
            storage[()] = k
            signal = body(f)
            if signal is None or signal is again:
                continue
            if signal is leave:
                return None
            return signal
        _store_wrapped(storage, end)
        return None

    return run


def _store_wrapped(storage: Any, value: int) -> None:
    """The value behind the last iteration, wrapped where it does not fit the kind."""
    try:
        storage[()] = value
    except OverflowError:
        bits = 8 * storage.dtype.itemsize
        storage[()] = (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def compile_while(c: Compiler, statement: s.DoWhile) -> Closure:
    condition = c.value(statement.condition)
    body, leave, again = _loop_body(c, statement.name, statement.body)

    def run(f: Any) -> Any:
        while condition(f):
            signal = body(f)
            if signal is None or signal is again:
                continue
            if signal is leave:
                return None
            return signal
        return None

    return run


def compile_indices(c: Compiler, indices: tuple[s.LoopIndex, ...]) -> Closure:
    """The ranges of all indices, evaluated once."""
    bounds = [(c.number(i.lower), c.number(i.upper), c.number(i.step)) for i in indices]

    def ranges(f: Any) -> list[range]:
        out = []
        for lower, upper, step in bounds:
            first, last, by = lower(f), upper(f), step(f)
            if by == 0:
                raise FortranRuntimeError("the step of a loop index is zero")
            out.append(range(first, last + (1 if by > 0 else -1), by))
        return out

    return ranges


class _Private:
    """The variables that are private to an iteration: their outer values come back after the loop."""

    def __init__(self, c: Compiler, statement: s.ParallelLoop) -> None:
        self.initialised = statement.local_init
        index_ids = {i.ref.id for i in statement.indices}
        self.indices = [c.variable(i.ref) for i in statement.indices]
        self.others = []
        for symbol in statement.locals:
            if symbol.id not in index_ids:
                layout = c.machine.layouts.of(symbol.type.id) if isinstance(symbol.type, Record) else None
                self.others.append((symbol.id, designators.raw(c, symbol.id), layout))

    def save(self, f: Any) -> list[Any]:
        saved = [copy_value(read(f)) for read in self.indices]
        for _, read, _ in self.others:
            storage = read(f)
            if isinstance(storage, Allocatable):
                saved.append(storage.value)
                storage.value = copy_value(storage.value)
            else:
                saved.append(storage.target if isinstance(storage, Pointer) else copy_value(storage))
        return saved

    def begin(self, f: Any, saved: list[Any]) -> None:
        """The state at the start of an iteration."""
        for (id, read, layout), old in zip(self.others, saved[len(self.indices) :], strict=True):
            storage = read(f)
            if isinstance(storage, Allocatable):
                storage.value = copy_value(old) if id in self.initialised else None
            elif isinstance(storage, Pointer):
                storage.target = old if id in self.initialised else None
            elif id in self.initialised:
                assign(storage, old)
            elif layout is not None:
                assign(storage, new_record(layout))

    def restore(self, f: Any, saved: list[Any]) -> None:
        for read, old in zip(self.indices, saved, strict=False):
            read(f)[()] = old[()]
        for (_, read, _), old in zip(self.others, saved[len(self.indices) :], strict=True):
            storage = read(f)
            if isinstance(storage, Allocatable):
                storage.value = old
            elif isinstance(storage, Pointer):
                storage.target = old
            else:
                assign(storage, old)


def compile_parallel(c: Compiler, statement: s.ParallelLoop) -> Closure:
    """The mask of every iteration first, then the iterations in the machine's order."""
    private = _Private(c, statement)
    ranges = compile_indices(c, statement.indices)
    mask = None if statement.mask is None else c.value(statement.mask)
    body, leave, again = _loop_body(c, statement.name, statement.body)
    machine, has_locals = c.machine, bool(private.others)

    def iterations(f: Any, storages: list[Any]) -> Any:
        everything = itertools.product(*ranges(f))
        if mask is None and machine.parallel_order == "forward":
            return everything
        chosen = []
        for point in everything:
            if mask is not None:
                for storage, k in zip(storages, point, strict=True):
                    storage[()] = k
                if not mask(f):
                    continue
            chosen.append(point)
        if machine.parallel_order == "reverse":
            chosen.reverse()
        elif machine.parallel_order == "random":
            machine.random.shuffle(chosen)
        return chosen

    def run(f: Any) -> Any:
        saved = private.save(f)
        storages = [read(f) for read in private.indices]
        signal = None
        try:
            for point in iterations(f, storages):
                if has_locals:
                    private.begin(f, saved)
                for storage, k in zip(storages, point, strict=True):
                    storage[()] = k
                signal = body(f)
                if signal is None or signal is again:
                    signal = None
                    continue
                if signal is leave:
                    signal = None
                break
        finally:
            private.restore(f, saved)
        return signal

    return run


__all__ = ["compile_creator", "compile_do", "compile_indices", "compile_parallel", "compile_while"]
