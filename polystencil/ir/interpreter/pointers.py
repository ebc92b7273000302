"""Pointer association: targets, bounds, rank remapping, procedure pointers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polystencil.ir import expressions as x
from polystencil.ir.interpreter import designators
from polystencil.ir.statements import PointerAssign
from polystencil.ir.types import ProcedureType
from polystencil.ir.typing import type_of
from polystencil.semantics.association import associate
from polystencil.semantics.values import Allocatable, Pointer

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


@dataclass(frozen=True, eq=False)
class ProcedureValue:
    """A procedure with the activation of its host."""

    routine: Any
    host: Any


def host_reader(c: Compiler, id: str) -> Closure:
    """The frame of the host in which procedure `id` stands, None for module and external procedures."""
    procedure = c.machine.table.procedures.get(id)
    host = procedure.host if procedure is not None else None
    if host is None or host not in c.machine.table.procedures:
        return lambda _: None
    depth = c.scope.depth_of_host(host)

    def read(f: Any) -> Any:
        for _ in range(depth):
            f = f[0]
        return f

    return read


def procedure_value(c: Compiler, e: x.Expression) -> Closure:
    """A procedure-typed expression: a name, a dummy procedure, a procedure pointer."""
    if isinstance(e, x.ProcedureRef):
        host, id, machine = host_reader(c, e.id), e.id, c.machine
        return lambda f: ProcedureValue(machine.routine(id), host(f))
    if isinstance(e, x.FunctionCall):
        return c.value(e)
    read = c.cell(e)

    def held(f: Any) -> Any:
        value = read(f)
        return value.target if isinstance(value, Pointer) else value

    return held


def compile_target(c: Compiler, e: x.Expression) -> Closure:
    """The storage, procedure or None that a pointer gets from `e`."""
    if isinstance(e, x.Null):
        return lambda _: None
    if isinstance(type_of(e), ProcedureType) or isinstance(e, x.ProcedureRef):
        return procedure_value(c, e)
    if isinstance(e, x.FunctionCall):
        from polystencil.ir.interpreter import calls

        result = calls.compile_result_storage(c, e)

        def of_function(f: Any) -> Any:
            storage = result(f)
            return storage.target if isinstance(storage, Pointer) else storage

        return of_function
    if designators.is_cell(c, e):
        cell = c.cell(e)

        def of_cell(f: Any) -> Any:
            held = cell(f)
            if held is None:
                return None
            return held.value if isinstance(held, Allocatable) else held.target

        return of_cell
    return c.variable(e)


def compile_pointer_assign(c: Compiler, s: PointerAssign) -> Closure:
    """`target => value` with or without bounds."""
    cell, target = c.cell(s.target), compile_target(c, s.value)
    if not s.bounds:

        def plain(f: Any) -> None:
            new = target(f)
            associate(cell(f), new)

        return plain
    lower = [c.number(low) for low, _ in s.bounds]
    upper = [None if high is None else c.number(high) for _, high in s.bounds]

    def bounded(f: Any) -> None:
        low = tuple(b(f) for b in lower)
        high = tuple(None if b is None else b(f) for b in upper)
        associate(cell(f), target(f), low, high)

    return bounded
