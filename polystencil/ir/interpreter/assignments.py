"""Assignment statements, by the kind of their target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polystencil.ir import expressions as x
from polystencil.ir.interpreter import designators, fused
from polystencil.ir.interpreter.layouts import number_dtype
from polystencil.ir.statements import Assign
from polystencil.ir.types import Intrinsic, Record
from polystencil.ir.typing import rank_of, type_of
from polystencil.semantics.assignment import assign, assign_allocatable, assign_allocatable_scalar, copy_value
from polystencil.semantics.sections import assign_section
from polystencil.semantics.values import Allocatable, Array, fit_width

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


def compile_assign(c: Compiler, statement: Assign) -> Closure:
    """`target = value`, the value first."""
    target, value = statement.target, statement.value
    if designators.is_cell(c, target) and _is_allocatable(c, target):
        return _to_allocatable(c, target, value)
    if isinstance(target, x.Section) and designators.has_vector(target):
        return _to_vector_section(c, target, value)
    if number_dtype(type_of(target)) is not None and rank_of(target) == 0:
        if c.machine.fuse:
            fused_step = fused.compile_fused_assignment(c, target, value, lambda: _to_number(c, target, c.value(value)))
            if fused_step is not None:
                return fused_step
        return _to_number(c, target, c.value(value))
    evaluate = c.value(value)
    variable = c.variable(target)

    def store(f: Any) -> None:
        new = evaluate(f)
        assign(variable(f), new)

    return store


def _is_allocatable(c: Compiler, target: x.Expression) -> bool:
    symbol = c.symbol(target.id) if isinstance(target, x.Ref) else designators.component_symbol(c, target)  # type: ignore[arg-type]  # is_cell says so
    return "allocatable" in symbol.attributes


def _to_number(c: Compiler, target: x.Expression, evaluate: Closure) -> Closure:
    if isinstance(target, x.Element) and designators.parent_array(c, target.base) is None:
        place = designators.compile_place(c, target)

        def to_element(f: Any) -> None:
            new = evaluate(f)
            data, index = place(f)
            data[index] = new

        return to_element
    variable = c.variable(target)

    def to_scalar(f: Any) -> None:
        new = evaluate(f)
        variable(f)[()] = new

    return to_scalar


def _to_vector_section(c: Compiler, target: x.Section, value: x.Expression) -> Closure:
    base, subscripts = c.variable(target.base), designators.compile_subscripts(c, target.subscripts)
    evaluate, name = c.value(value), designators.name_of(c, target.base)

    def store(f: Any) -> None:
        new = copy_value(evaluate(f))
        assign_section(base(f), subscripts(f), new, name)

    return store


def _whole_variable(_c: Compiler, e: x.Expression) -> bool:
    """Whether the value's own lower bounds go to an allocatable that is (re)allocated."""
    return isinstance(e, x.Ref) or (isinstance(e, x.Component) and rank_of(e.base) == 0)


def _to_allocatable(c: Compiler, target: x.Expression, value: x.Expression) -> Closure:
    cell, t = c.cell(target), type_of(target)
    if rank_of(target):
        fixed = c.element(t) if isinstance(t, Intrinsic) and isinstance(t.length, x.Expression) else None
        if rank_of(value) and _whole_variable(c, value):
            source = c.variable(value)
            lower_of = True
        else:
            source, lower_of = c.value(value), False

        def store(f: Any) -> None:
            new = source(f)
            lower = new.lower if lower_of and isinstance(new, Array) else None
            data = new.data if isinstance(new, Array) else new
            holder: Allocatable = cell(f)
            if fixed is not None and not isinstance(data, bytes):
                data = fit_width(data, fixed(f).itemsize)
            if holder.value is not None and isinstance(data, bytes):
                assign(holder.value, data)
            else:
                assign_allocatable(holder, data, lower)

        return store
    evaluate = c.value(value)
    deferred = isinstance(t, Intrinsic) and t.length == ":"
    open_type = deferred or (isinstance(t, Record) and t.polymorphic)
    element = (lambda _: None) if open_type else c.element(t)

    def store_scalar(f: Any) -> None:
        new = evaluate(f)
        assign_allocatable_scalar(cell(f), new, element(f))

    return store_scalar
