"""Intrinsic subroutines: move_alloc, clocks, random numbers, command line, environment, mvbits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.statements import CallIntrinsic
from polystencil.semantics import bits, system
from polystencil.semantics.assignment import assign
from polystencil.semantics.values import Array, load

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


class _Arguments:
    """The arguments of one call: values of inputs, storages of outputs, None for absent ones."""

    def __init__(self, c: Compiler, arguments: tuple[x.Expression | None, ...]) -> None:
        self.c, self.given = c, arguments

    def value(self, k: int) -> Closure:
        e = self.given[k] if k < len(self.given) else None
        return (lambda _: None) if e is None else self.c.value(e)

    def storage(self, k: int) -> Closure:
        e = self.given[k] if k < len(self.given) else None
        return (lambda _: None) if e is None else self.c.variable(e)


def _give(storage: Any, value: Any) -> None:
    """Store into an output argument that may be absent."""
    if storage is not None:
        assign(storage, value)


def compile_call(c: Compiler, statement: CallIntrinsic) -> Closure:
    """The closure of a call of an intrinsic subroutine."""
    maker = _TABLE.get(statement.name)
    if maker is None:
        raise UnsupportedError(f"the intrinsic subroutine {statement.name} is not supported", statement.span)
    run: Closure = maker(_Arguments(c, statement.arguments))
    return run


def _move_alloc(a: _Arguments) -> Closure:
    source, target = a.given[0], a.given[1]
    assert source is not None
    assert target is not None
    from_cell, to_cell, status = a.c.cell(source), a.c.cell(target), a.storage(2)

    def run(f: Any) -> None:
        origin, goal = from_cell(f), to_cell(f)
        if origin is not goal:
            goal.value, origin.value = origin.value, None
        _give(status(f), np.int32(0))

    return run


def _system_clock(a: _Arguments) -> Closure:
    outputs = [a.storage(k) for k in range(3)]

    def run(f: Any) -> None:
        storages = [o(f) for o in outputs]
        integers = [s.dtype for s in storages if s is not None and s.dtype.kind == "i"]
        widest = max(integers, key=lambda d: d.itemsize, default=np.dtype(np.int32))
        for storage, value in zip(storages, system.system_clock(widest), strict=True):
            _give(storage, value)

    return run


def _cpu_time(a: _Arguments) -> Closure:
    storage = a.storage(0)
    return lambda f: _give(storage(f), np.float64(system.cpu_time()))


def _date_and_time(a: _Arguments) -> Closure:
    outputs = [a.storage(k) for k in range(4)]

    def run(f: Any) -> None:
        *texts, numbers = system.date_and_time()
        for output, value in zip(outputs, (*texts, numbers), strict=True):
            storage = output(f)
            if isinstance(storage, Array):
                storage.data[: numbers.size] = numbers
            else:
                _give(storage, value)

    return run


def _random_number(a: _Arguments) -> Closure:
    storage = a.storage(0)

    def run(f: Any) -> None:
        target = storage(f)
        system.random_number(target.data if isinstance(target, Array) else target)

    return run


def _random_seed(a: _Arguments) -> Closure:
    size, put, get = a.storage(0), a.value(1), a.storage(2)

    def run(f: Any) -> None:
        _give(size(f), np.int32(system.RANDOM_SEED_SIZE))
        out = get(f)
        if out is not None:
            state = system.random_seed_state()
            out.data[: len(state)] = state[: out.data.size]
        seed = put(f)
        if seed is not None:
            system.random_seed(seed)
        elif out is None and size(f) is None:
            system.random_seed()

    return run


def _random_init(_a: _Arguments) -> Closure:
    return lambda _: system.random_seed()


def _text_result(a: _Arguments, first: int, fetch: Any) -> Closure:
    """value, length, status from argument `first` on."""
    value, length, status = (a.storage(first + k) for k in range(3))

    def run(f: Any) -> None:
        text, code = fetch(f)
        storage = value(f)
        if storage is not None:
            if code == 0 and storage.dtype.itemsize < len(text):
                code = -1
            assign(storage, text)
        _give(length(f), np.int32(len(text)))
        _give(status(f), np.int32(code))

    return run


def _get_command_argument(a: _Arguments) -> Closure:
    number = a.value(0)
    return _text_result(a, 1, lambda f: system.command_argument(number(f)))


def _get_command(a: _Arguments) -> Closure:
    return _text_result(a, 0, lambda _: (system.whole_command(), 0))


def _get_environment_variable(a: _Arguments) -> Closure:
    name = a.value(0)
    return _text_result(a, 1, lambda f: system.environment_variable(name(f)))


def _execute(_a: _Arguments) -> Closure:
    return lambda _: system.refuse_command()


def _mvbits(a: _Arguments) -> Closure:
    inputs, to, to_pos = [a.value(k) for k in range(3)], a.storage(3), a.value(4)

    def run(f: Any) -> None:
        storage = to(f)
        old = storage.data if isinstance(storage, Array) else load(storage)
        source, start, length = (v(f) for v in inputs)
        assign(storage, bits.mvbits(source, start, length, old, to_pos(f)))

    return run


_TABLE: dict[str, Any] = {
    "move_alloc": _move_alloc, "system_clock": _system_clock, "cpu_time": _cpu_time, "date_and_time": _date_and_time,
    "random_number": _random_number, "random_seed": _random_seed, "random_init": _random_init,
    "get_command_argument": _get_command_argument, "get_command": _get_command,
    "get_environment_variable": _get_environment_variable, "execute_command_line": _execute, "mvbits": _mvbits,
}  # fmt: skip
