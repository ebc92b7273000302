"""where: one assignment at a time, all values for all active elements first, then all stores.

The steps take several states (one for each index combination of an enclosing forall; one alone outside of it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.interpreter import designators
from polystencil.ir.interpreter.masked import masked_value
from polystencil.ir.typing import rank_of
from polystencil.semantics.assignment import assign, copy_value
from polystencil.semantics.values import RecordArray, fit_width, shape_of

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure

def _store_packed(c: Compiler, target: x.Expression, slot: int) -> Any:
    """What stores packed values (or a scalar) at the active elements of `target`."""
    if isinstance(target, x.Section) and designators.has_vector(target):
        raise UnsupportedError("where assigns to a section with a vector subscript")
    variable = c.variable(target)

    def store(f: Any, value: Any) -> None:
        data = variable(f).data
        places = np.unravel_index(f[slot], data.shape, order="F")
        if isinstance(data, RecordArray):
            for k, at in enumerate(zip(*places, strict=True)):
                assign(data[tuple(int(i) for i in at)], value[k] if isinstance(value, RecordArray) else value)
            return
        if data.dtype.kind == "S":
            width = data.dtype.itemsize
            value = value[:width].ljust(width) if isinstance(value, bytes) else fit_width(value, width)
        data[places] = value

    return store


class _Clause:
    """One branch of a where: its mask (None: the rest) and its compiled statements."""

    def __init__(self, c: Compiler, clause: s.WhereClause, slot: int) -> None:
        self.mask = None if clause.mask is None else masked_value(c, clause.mask, slot)
        self.steps = [_where_step(c, statement, slot) for statement in clause.body]


def _where_step(c: Compiler, statement: s.Statement, slot: int) -> Any:
    """A statement inside where, as a function of (frame, states): a state is one index combination with its places."""
    if isinstance(statement, s.Where):
        return _where_runner(c, statement, slot)
    if not isinstance(statement, s.Assign):
        raise UnsupportedError("only assignments stand in where", statement.span)
    value, store = masked_value(c, statement.value, slot), _store_packed(c, statement.target, slot)

    def run(f: Any, states: list[Any]) -> None:
        values = []
        for select, places in states:
            select(f)
            f[slot] = places
            values.append(copy_value(value(f)))
        for (select, places), new in zip(states, values, strict=True):
            select(f)
            f[slot] = places
            store(f, new)

    return run


def _where_runner(c: Compiler, statement: s.Where, slot: int) -> Any:
    """The clauses in order, each on what the former ones left over."""
    clauses = [_Clause(c, clause, slot) for clause in statement.clauses]

    def run(f: Any, states: list[Any]) -> None:
        rest = states
        for clause in clauses:
            active, left = [], []
            for select, places in rest:
                if clause.mask is None:
                    active.append((select, places))
                    continue
                select(f)
                f[slot] = places
                chosen = np.broadcast_to(clause.mask(f), places.shape)
                active.append((select, places[chosen]))
                left.append((select, places[~chosen]))
            for step in clause.steps:
                step(f, active)
            rest = left

    return run


def _mask_shape(c: Compiler, statement: s.Where) -> Closure:
    """The number of elements that the first mask has."""
    first = statement.clauses[0].mask
    assert first is not None
    value = c.value(first)

    def size(f: Any) -> Any:
        shape = shape_of(value(f))
        return int(np.prod(shape, dtype=np.int64))

    return size


def nothing(f: Any) -> None:
    """Selects the only state outside of forall."""


def compile_where(c: Compiler, statement: s.Where) -> Closure:
    """where / elsewhere: every mask is evaluated once."""
    step = where_step(c, statement)
    return lambda f: step(f, [nothing])


def where_step(c: Compiler, statement: s.Where) -> Any:
    """A where construct as a function of (frame, index selections)."""
    slot = c.scope.new_slot()
    size, run = _size_of(c, statement), _where_runner(c, statement, slot)

    def step(f: Any, selections: list[Any]) -> None:
        states = []
        for select in selections:
            select(f)
            states.append((select, np.arange(size(f))))
        run(f, states)

    return step


def _size_of(c: Compiler, statement: s.Where) -> Closure:
    """The size of the masks, from an array variable in the first mask where there is one (cheap), else its value."""
    mask = statement.clauses[0].mask
    assert mask is not None
    found = _shape_source(mask)
    if found is None:
        return _mask_shape(c, statement)
    value = c.value(found)
    return lambda f: int(np.prod(shape_of(value(f)), dtype=np.int64))


def _shape_source(e: x.Expression) -> x.Expression | None:
    """An array operand with the shape of `e`, reached through elemental operations."""
    match e:
        case x.Paren() | x.Unary() | x.Convert():
            return _shape_source(e.operand)
        case x.Binary():
            return _shape_source(e.left if rank_of(e.left) else e.right)
        case x.Ref() | x.Component() | x.Section():
            return e
        case _:
            return None
