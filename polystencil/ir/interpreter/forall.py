"""forall: index combinations and mask first; then every statement completes for all of them before the next."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.interpreter import designators, loops
from polystencil.ir.interpreter.where import nothing, where_step
from polystencil.semantics.assignment import assign, copy_value
from polystencil.semantics.association import associate

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure

def compile_forall(c: Compiler, statement: s.Forall) -> Closure:
    """forall: index combinations and mask first, then statement by statement."""
    run = _forall_runner(c, statement)
    indices = [c.variable(i.ref) for i in _all_indices(statement)]

    def execute(f: Any) -> None:
        saved = [read(f)[()] for read in indices]
        run(f, [nothing])
        for read, old in zip(indices, saved, strict=True):
            read(f)[()] = old

    return execute


def _all_indices(statement: s.Forall) -> list[s.LoopIndex]:
    out = list(statement.indices)
    for inner in statement.body:
        if isinstance(inner, s.Forall):
            out.extend(_all_indices(inner))
    return out


def _forall_runner(c: Compiler, statement: s.Forall) -> Any:
    storages = [c.variable(i.ref) for i in statement.indices]
    ranges = loops.compile_indices(c, statement.indices)
    mask = None if statement.mask is None else c.value(statement.mask)
    steps = [_forall_step(c, inner) for inner in statement.body]

    def selection(outer: Any, point: tuple[int, ...]) -> Any:
        def select(f: Any) -> None:
            outer(f)
            for read, k in zip(storages, point, strict=True):
                read(f)[()] = k

        return select

    def run(f: Any, outer_selections: list[Any]) -> None:
        selections = []
        for outer in outer_selections:
            outer(f)
            for point in list(itertools.product(*ranges(f))):
                select = selection(outer, point)
                if mask is not None:
                    select(f)
                    if not mask(f):
                        continue
                selections.append(select)
        for step in steps:
            step(f, selections)

    return run


def _forall_step(c: Compiler, statement: s.Statement) -> Any:
    match statement:
        case s.Forall():
            return _forall_runner(c, statement)
        case s.Where():
            return where_step(c, statement)
        case s.Assign():
            value, store = c.value(statement.value), _element_store(c, statement.target)
        case s.PointerAssign():
            value, cell = c.pointer_target(statement.value), c.cell(statement.target)

            def store(f: Any, new: Any) -> None:
                associate(cell(f), new)
        case _:
            raise UnsupportedError("this statement does not stand in forall", statement.span)
    keep = isinstance(statement, s.PointerAssign)

    def run(f: Any, selections: list[Any]) -> None:
        values = []
        for select in selections:
            select(f)
            new = value(f)
            values.append(new if keep else copy_value(new))
        for select, new in zip(selections, values, strict=True):
            select(f)
            store(f, new)

    return run


def _element_store(c: Compiler, target: x.Expression) -> Any:
    if isinstance(target, x.Section) and designators.has_vector(target):
        from polystencil.semantics.sections import assign_section

        base, subscripts = c.variable(target.base), designators.compile_subscripts(c, target.subscripts)
        return lambda f, new: assign_section(base(f), subscripts(f), new)
    variable = c.variable(target)
    return lambda f, new: assign(variable(f), new)
