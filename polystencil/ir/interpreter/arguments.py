"""Actual arguments in the form that a dummy needs: storage, a cell, a sequence of elements, a procedure, nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polystencil.errors import FortranRuntimeError
from polystencil.ir import expressions as x
from polystencil.ir.interpreter import designators
from polystencil.ir.interpreter.pointers import procedure_value
from polystencil.ir.interpreter.procedures import Sequence
from polystencil.ir.program import Symbol
from polystencil.ir.types import ProcedureType, Record
from polystencil.ir.typing import rank_of
from polystencil.semantics.assignment import copy_value
from polystencil.semantics.association import content, element_position
from polystencil.semantics.values import (
    Allocatable,
    Pointer,
    storage_of,
)

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


def is_designator(e: x.Expression) -> bool:
    """Whether `e` names storage that a procedure may write to."""
    if isinstance(e, (x.Element, x.Component, x.Substring)):
        return is_designator(e.base)
    if isinstance(e, x.Section):
        return is_designator(e.base) and not designators.has_vector(e)
    if isinstance(e, x.Convert):
        return isinstance(e.type, Record) and is_designator(e.operand)
    return isinstance(e, x.Ref)


def compile_argument(c: Compiler, e: x.Expression | None, d: Symbol) -> Closure:
    """The actual argument `e` in the form that dummy `d` needs."""
    if e is None:
        return lambda _: None
    if isinstance(d.type, ProcedureType):
        return c.cell(e) if "pointer" in d.attributes and designators.is_cell(c, e) else procedure_value(c, e)
    if designators.holds_cell(d):
        return _cell_argument(c, e, d)
    if "value" in d.attributes:
        value = c.value(e)
        return lambda f: storage_of(copy_value(value(f)))
    if isinstance(e, x.Ref) and _may_be_absent(c, e):
        return _forwarded(c, e, d)
    if "optional" in d.attributes and designators.is_cell(c, e):
        cell = c.cell(e)

        def held(f: Any) -> Any:
            found = cell(f)
            if found is None:
                return None
            return found.value if isinstance(found, Allocatable) else found.target

        return held
    if isinstance(e, x.Element) and d.shape is not None and rank_of(e) == 0:
        return _sequence(c, e)
    if isinstance(e, x.Substring) and d.shape is not None and isinstance(e.base, x.Element) and rank_of(e) == 0:
        return _sequence(c, e.base)
    if is_designator(e):
        return c.variable(e)
    return compile_temporary(c, e)


def compile_temporary(c: Compiler, e: x.Expression) -> Closure:
    """The value of an expression in storage of its own."""
    value, owned = c.value(e), isinstance(e, (x.Binary, x.FunctionCall, x.ArrayConstructor, x.StructureConstructor))
    if owned:
        return lambda f: storage_of(value(f))
    return lambda f: storage_of(copy_value(value(f)))


def _may_be_absent(c: Compiler, e: x.Ref) -> bool:
    return "optional" in c.symbol(e.id).attributes


def _forwarded(c: Compiler, e: x.Ref, d: Symbol) -> Closure:
    """An optional dummy handed on: absent stays absent."""
    read, is_cell, name = designators.raw(c, e.id), designators.holds_cell(c.symbol(e.id)), c.symbol(e.id).name
    optional = "optional" in d.attributes

    def forward(f: Any) -> Any:
        storage = read(f)
        if storage is None and not optional:
            raise FortranRuntimeError(f"optional argument {name} is absent, but {d.name} needs one")
        if storage is None or not is_cell:
            return storage
        held = storage.value if isinstance(storage, Allocatable) else storage.target
        return held if optional else content(storage, name)

    return forward


def _cell_argument(c: Compiler, e: x.Expression, d: Symbol) -> Closure:
    pointer = "pointer" in d.attributes
    if isinstance(e, x.Null):
        return lambda _: Pointer() if pointer else Allocatable()
    if designators.is_cell(c, e):
        own = designators.component_symbol(c, e) if isinstance(e, x.Component) else c.symbol(e.id)  # type: ignore[attr-defined]  # a Ref
        if ("pointer" in own.attributes) == pointer:
            return c.cell(e)
    if pointer:
        target = c.pointer_target(e)
        return lambda f: Pointer(target(f))
    value = compile_temporary(c, e)
    return lambda f: Allocatable(value(f))


def _sequence(c: Compiler, e: x.Element) -> Closure:
    base, indices, name = c.variable(e.base), [c.number(i) for i in e.indices], designators.name_of(c, e.base)

    def sequence(f: Any) -> Any:
        array = base(f)
        subscripts = tuple(i(f) for i in indices)
        for k, low, high in zip(subscripts, array.lower, array.upper, strict=True):
            if not low <= k <= high:
                raise designators.index_error(array, list(subscripts), name)
        return Sequence(array, element_position(array, subscripts))

    return sequence
