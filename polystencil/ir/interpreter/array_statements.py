"""where and forall.

Both run one assignment at a time: all values for all active elements and index combinations first, then all stores.
Under a mask elemental operations are evaluated for the active elements alone; everything else (whole arrays,
transformational functions) is evaluated in full and then packed.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.errors import FortranRuntimeError, UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.interpreter import calls, designators, intrinsic_calls, loops, operators
from polystencil.ir.interpreter.layouts import number_dtype
from polystencil.ir.typing import rank_of, type_of
from polystencil.semantics.assignment import assign, copy_value
from polystencil.semantics.association import associate
from polystencil.semantics.rearrangement import gather
from polystencil.semantics.values import Array, RecordArray, fit_width, shape_of, storage_of

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure

_NOT_ELEMENTAL = frozenset({
    "sum", "product", "maxval", "minval", "any", "all", "parity", "count", "maxloc", "minloc", "findloc", "iall", "iany",
    "iparity", "norm2", "dot_product", "matmul", "transpose", "reshape", "spread", "pack", "unpack", "cshift",
    "eoshift", "shape", "lbound", "ubound", "transfer",
})  # fmt: skip


def masked_value(c: Compiler, e: x.Expression, slot: int) -> Closure:
    """The value of `e` at the active elements only, rank 1; scalars stay scalars.

    `slot` holds the element numbers (0-based, element order) that the mask leaves active.
    """
    if rank_of(e) == 0:
        return c.value(e)
    match e:
        case x.Paren():
            return masked_value(c, e.operand, slot)
        case x.Unary():
            return operators.unary(e.operator, masked_value(c, e.operand, slot), False)
        case x.Binary():
            left, right = masked_value(c, e.left, slot), masked_value(c, e.right, slot)
            return operators.binary(e, left, right, rank_of(e.left), rank_of(e.right))
        case x.Convert():
            operand = masked_value(c, e.operand, slot)
            target = number_dtype(e.type)
            assert target is not None
            convert = operators.conversion(number_dtype(type_of(e.operand)), target, False)
            return lambda f: convert(operand(f))
        case x.IntrinsicCall() if e.name not in _NOT_ELEMENTAL:
            arguments = [(lambda _: None) if a is None else masked_value(c, a, slot) for a in e.arguments]
            return intrinsic_calls.apply(e, arguments)
        case x.FunctionCall():
            elementwise = _masked_call(c, e, slot)
            if elementwise is not None:
                return elementwise
    value = c.value(e)
    return lambda f: gather(value(f), f[slot])


def _masked_call(c: Compiler, e: x.FunctionCall, slot: int) -> Closure | None:
    found = calls.elementwise_target(c, e.target)
    if found is None or not calls.is_elementwise(e.arguments, found[1]):
        return None
    resolve, element = found[0], c.element(e.type)
    arguments = [(lambda _: None) if a is None else masked_value(c, a, slot) for a in e.arguments]

    def call(f: Any) -> Any:
        routine, host = resolve(f)
        actuals = [None if (v := a(f)) is None else storage_of(v) for a in arguments]
        return calls.apply_elementwise(routine, host, actuals, element(f))

    return call


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


def _nothing(f: Any) -> None:
    """Selects the only state outside of forall."""


def compile_where(c: Compiler, statement: s.Where) -> Closure:
    """where / elsewhere: every mask is evaluated once."""
    step = _outer_where(c, statement)
    return lambda f: step(f, [_nothing])


def _outer_where(c: Compiler, statement: s.Where) -> Any:
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


def compile_forall(c: Compiler, statement: s.Forall) -> Closure:
    """forall: index combinations and mask first, then statement by statement."""
    run = _forall_runner(c, statement)
    indices = [c.variable(i.ref) for i in _all_indices(statement)]

    def execute(f: Any) -> None:
        saved = [read(f)[()] for read in indices]
        run(f, [_nothing])
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
            return _outer_where(c, statement)
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


__all__ = ["Array", "FortranRuntimeError", "compile_forall", "compile_where", "masked_value"]
