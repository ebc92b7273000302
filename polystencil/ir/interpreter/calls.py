"""Calls: actual arguments made ready for the dummies of the procedure, dynamic dispatch, elemental calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.errors import FortranRuntimeError
from polystencil.ir import expressions as x
from polystencil.ir.interpreter import designators
from polystencil.ir.interpreter.arguments import compile_argument, compile_temporary, is_designator
from polystencil.ir.interpreter.operators import value_of
from polystencil.ir.interpreter.pointers import host_reader, procedure_value
from polystencil.ir.interpreter.procedures import Routine
from polystencil.ir.types import ProcedureType, Record
from polystencil.ir.typing import rank_of, type_of
from polystencil.semantics.assignment import assign, copy_value, text_array
from polystencil.semantics.association import content
from polystencil.semantics.values import (
    Allocatable,
    Array,
    Pointer,
    RecordLayout,
    new_data,
)

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


def _bound_routine(c: Compiler, target: x.BoundProcedure) -> Closure:
    """The procedure that the dynamic type of the object has under a binding name."""
    variable, name, machine = c.variable(target.object), target.name, c.machine
    declared = type_of(target.object)
    assert isinstance(declared, Record)
    found: dict[str, Routine] = {}

    def routine(f: Any) -> Any:
        storage = variable(f)
        data = storage.data if isinstance(storage, Array) else storage
        id = data.layout.type_id
        if id not in found:
            procedure = binding(machine, id, name)
            if procedure is None:
                raise FortranRuntimeError(f"type {id} has no procedure {name}")
            found[id] = machine.routine(procedure)
        return found[id], None

    return routine


def binding(machine: Any, type_id: str | None, name: str) -> str | None:
    """The procedure bound to `name` in a type or the nearest type that it extends."""
    while type_id is not None:
        definition = machine.table.types[type_id]
        for b in definition.bindings:
            if b.name == name and b.procedure is not None:
                return str(b.procedure)
        type_id = definition.extends
    return None


def compile_call(c: Compiler, target: x.Expression, arguments: tuple[x.Expression | None, ...]) -> Closure:
    """A call without elementwise application; gives what stands for the result."""
    if isinstance(target, x.ProcedureRef):
        routine, host = c.machine.routine(target.id), host_reader(c, target.id)
        actuals = _actuals(c, routine, arguments)
        return lambda f: routine.invoke(host(f), [a(f) for a in actuals])
    if isinstance(target, x.BoundProcedure):
        resolve = _bound_routine(c, target)
    else:
        held, name = procedure_value(c, target), designators.name_of(c, target)

        def resolve(f: Any) -> Any:
            value = held(f)
            if value is None:
                raise FortranRuntimeError(f"procedure pointer {name} is not associated")
            return value.routine, value.host

    known: dict[str, list[Closure]] = {}

    def call(f: Any) -> Any:
        routine, host = resolve(f)
        id = routine.procedure.id
        if id not in known:
            known[id] = _actuals(c, routine, arguments)
        return routine.invoke(host, [a(f) for a in known[id]])

    return call


def _actuals(c: Compiler, routine: Routine, arguments: tuple[x.Expression | None, ...]) -> list[Closure]:
    if len(arguments) > len(routine.dummies):
        raise FortranRuntimeError(f"{routine.procedure.name} is called with too many arguments")
    return [compile_argument(c, e, d) for e, d in zip(arguments, routine.dummies, strict=False)]


def is_elementwise(arguments: tuple[x.Expression | None, ...], routine: Routine) -> bool:
    """Whether an elemental procedure is applied to the elements of arrays here."""
    return routine.elemental and any(
        a is not None and rank_of(a) > 0 and d.shape is None
        for a, d in zip(arguments, routine.dummies, strict=False)
    )


def elementwise_target(c: Compiler, target: x.Expression) -> tuple[Closure, Routine] | None:
    """(reader of routine and host, a routine for its dummies) when the target can be elemental."""
    if isinstance(target, x.ProcedureRef):
        routine, host = c.machine.routine(target.id), host_reader(c, target.id)
        return (lambda f: (routine, host(f))), routine
    if isinstance(target, x.BoundProcedure):
        declared = type_of(target.object)
        assert isinstance(declared, Record)
        id = binding(c.machine, declared.id, target.name)
        return None if id is None else (_bound_routine(c, target), c.machine.routine(id))
    return None


def apply_elementwise(routine: Routine, host: Any, actuals: list[Any], element: Any) -> Any:
    """An elemental procedure over arrays, in element order; `element` is the type of the result, None for none.

    Actuals are storages: Arrays of one shape, and scalars for every call alike.
    """
    shape = next(a.data.shape for a in actuals if isinstance(a, Array))
    for a in actuals:
        if isinstance(a, Array) and a.data.shape != shape:
            raise FortranRuntimeError(f"arguments of {routine.procedure.name} have shapes {shape} and {a.data.shape}")
    text: list[bytes] = []
    is_text = isinstance(element, np.dtype) and element.kind == "S"
    out = None if element is None or is_text else new_data(element, shape)
    for reverse in np.ndindex(tuple(reversed(shape))):
        index = tuple(reversed(reverse))
        result = routine.invoke(host, [a.data[(*index, ...)] if isinstance(a, Array) else a for a in actuals])
        if result is None:
            continue
        if isinstance(result, (Allocatable, Pointer)):
            result = content(result, "function result")
        if is_text:
            text.append(value_of(result))
        elif isinstance(element, RecordLayout):
            assign(out[index], result)  # type: ignore[index]  # records here
        else:
            out[index] = result[()]  # type: ignore[index]  # numbers here
    if is_text:
        return text_array(text, shape, max((len(t) for t in text), default=0))
    return out


def _elementwise_closure(c: Compiler, e: x.FunctionCall | Any, element: Closure | None) -> Closure | None:
    """The closure of an elemental call over arrays, None for other calls."""
    found = elementwise_target(c, e.target)
    if found is None or not is_elementwise(e.arguments, found[1]):
        return None
    resolve, model = found
    actuals = [
        (lambda _: None) if a is None else c.variable(a) if is_designator(a) else compile_temporary(c, a)
        for a in e.arguments
    ]
    copies = [a is not None and d.intent == "in" for a, d in zip(e.arguments, model.dummies, strict=False)]

    def call(f: Any) -> Any:
        routine, host = resolve(f)
        values = [a(f) for a in actuals]
        if element is None:  # a subroutine may write to what another argument reads
            values = [copy_value(v) if copy else v for v, copy in zip(values, copies, strict=True)]
        return apply_elementwise(routine, host, values, None if element is None else element(f))

    return call


def compile_result_storage(c: Compiler, e: x.FunctionCall) -> Closure:
    """A function reference; gives the storage or cell of the result."""
    return compile_call(c, e.target, e.arguments)


def compile_function(c: Compiler, e: x.FunctionCall) -> Closure:
    """The value of a function reference."""
    elementwise = _elementwise_closure(c, e, c.element(e.type))
    if elementwise is not None:
        return elementwise
    call = compile_call(c, e.target, e.arguments)
    if isinstance(e.type, ProcedureType):
        return lambda f: call(f).target

    def value(f: Any) -> Any:
        result = call(f)
        if isinstance(result, (Allocatable, Pointer)):
            result = content(result, "the function result")
        return value_of(result)

    return value


def compile_subroutine(c: Compiler, s: Any) -> Closure:
    """A call statement."""
    elementwise = _elementwise_closure(c, s, None)
    call = elementwise if elementwise is not None else compile_call(c, s.target, s.arguments)

    def run(f: Any) -> None:
        call(f)

    return run
