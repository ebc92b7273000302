"""Statements as closures: lists of them, decisions, blocks, jumps, calls; loops and array statements stand beside."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from polystencil.errors import FortranRuntimeError, UnsupportedError
from polystencil.ir import statements as s
from polystencil.ir.interpreter import (
    allocation,
    assignments,
    calls,
    control,
    forall,
    intrinsic_subroutines,
    loops,
    pointers,
    transfers,
    where,
)
from polystencil.ir.interpreter.designators import raw, slot_reader
from polystencil.ir.interpreter.variables import compile_creator, initial_setter
from polystencil.ir.types import Intrinsic, Record
from polystencil.ir.typing import type_of
from polystencil.semantics import system
from polystencil.semantics.arithmetic import compare
from polystencil.semantics.values import Array, RecordArray
from polystencil.semantics.values import Record as RecordValue

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure

_TABLE: dict[type, Callable[..., Any]] = {}


def compile_body(c: Compiler, body: s.Body) -> Closure:
    """A list of statements: gives None, or the signal of the statement that left it. Errors get their place here."""
    steps, spans = [], []
    for statement in body:
        if isinstance(statement, s.Continue):
            continue
        steps.append(compile_statement(c, statement))
        spans.append(statement.span)
    if not steps:
        return lambda _: None
    machine = c.machine

    def run(f: Any) -> Any:
        step = steps[0]
        try:
            for step in steps:
                signal = step(f)
                if signal is not None:
                    return signal
        except FortranRuntimeError as error:
            if error.span is not None:
                raise
            raise machine.located(error, spans[steps.index(step)]) from None
        return None

    return run


def compile_statement(c: Compiler, statement: s.Statement) -> Closure:
    """The closure of one statement; a construct that is not supported is refused at its place."""
    try:
        return _TABLE[type(statement)](c, statement)  # type: ignore[no-any-return]  # closures
    except UnsupportedError as error:
        if error.span is not None:
            raise
        raise UnsupportedError(error.message, statement.span, "", error.hint) from None


def _if(c: Compiler, statement: s.If) -> Closure:
    branches = [(c.value(b.condition), c.body(b.body)) for b in statement.branches]
    otherwise = c.body(statement.otherwise)
    if len(branches) == 1:
        condition, body = branches[0]
        if not statement.otherwise:
            return lambda f: body(f) if condition(f) else None
        return lambda f: body(f) if condition(f) else otherwise(f)

    def run(f: Any) -> Any:
        for condition, body in branches:
            if condition(f):
                return body(f)
        return otherwise(f)

    return run


def _select_case(c: Compiler, statement: s.SelectCase) -> Closure:
    selector, default = c.value(statement.selector), c.body(statement.default)
    cases = []
    for case in statement.cases:
        ranges = []
        for r in case.ranges:
            low = None if r.lower is None else c.value(r.lower)
            high = low if r.upper is r.lower else None if r.upper is None else c.value(r.upper)
            ranges.append((low, high))
        cases.append((ranges, c.body(case.body)))
    logical = isinstance(t := type_of(statement.selector), Intrinsic) and t.base == "logical"

    def matches(f: Any, value: Any, ranges: Any) -> bool:
        for low, high in ranges:
            if logical:
                if bool(low(f)) == bool(value):
                    return True
            elif (low is None or compare(">=", value, low(f))) and (high is None or compare("<=", value, high(f))):
                return True
        return False

    def run(f: Any) -> Any:
        value = selector(f)
        for ranges, body in cases:
            if matches(f, value, ranges):
                return body(f)
        return default(f)

    return run


def _select_type(c: Compiler, statement: s.SelectType) -> Closure:
    selector = c.pointer_target(statement.selector)
    guards = []
    for guard in statement.guards:
        guards.append((_type_test(c, guard), c.scope.find(guard.variable.id).slot, _see_as(guard), c.body(guard.body)))
    default = c.body(statement.default)
    own = statement.default_variable
    default_slot = None if own is None else c.scope.find(own.id).slot

    def run(f: Any) -> Any:
        storage = selector(f)
        if storage is None:
            raise FortranRuntimeError("the selector of select type is not allocated or associated")
        for exact in (True, False):
            for (test, is_exact), slot, see, body in guards:
                if is_exact is exact and test(storage):
                    f[slot] = see(storage)
                    return body(f)
        if default_slot is not None:
            f[default_slot] = storage
        return default(f)

    return run


def _see_as(_guard: s.TypeGuard) -> Callable[[Any], Any]:
    return lambda storage: storage


def _type_test(c: Compiler, guard: s.TypeGuard) -> tuple[Callable[[Any], bool], bool]:
    def layout_of(storage: Any) -> Any:
        data = storage.data if isinstance(storage, Array) else storage
        return data.layout if isinstance(data, (RecordValue, RecordArray)) else None

    if isinstance(guard.type, Record):
        id = guard.type.id
        if guard.exact:
            return (lambda v: (found := layout_of(v)) is not None and found.type_id == id), True
        return (lambda v: (found := layout_of(v)) is not None and found.extends(id)), False
    if not isinstance(guard.type, Intrinsic):
        raise UnsupportedError("select type with this type")
    if guard.type.base == "character":
        return (lambda v: layout_of(v) is None and (v.data if isinstance(v, Array) else v).dtype.kind == "S"), True
    dtype = c.element(guard.type)([None])
    return (lambda v: layout_of(v) is None and (v.data if isinstance(v, Array) else v).dtype == dtype), True


def _block(c: Compiler, statement: s.Block) -> Closure:
    jumps = control.jumps_for(statement.name)
    before = c.jumps.get(statement.name)
    c.jumps[statement.name] = jumps
    creators = []
    for symbol in statement.declarations:
        if symbol.id in c.machine.static:
            continue
        creator = compile_creator(c, symbol)
        if creator is not None:
            creators.append((c.scope.find(symbol.id).slot, creator, initial_setter(c, symbol)))
    body = c.body(statement.body)
    if before is not None:
        c.jumps[statement.name] = before
    leave = jumps.exit

    def run(f: Any) -> Any:
        for slot, create, initial in creators:
            f[slot] = storage = create(f)
            if initial is not None:
                initial(f, storage)
        signal = body(f)
        return None if signal is leave else signal

    return run


def _jump(c: Compiler, statement: s.Exit | s.Cycle) -> Closure:
    jumps = c.jumps.get(statement.target)
    if jumps is None:
        raise UnsupportedError(f"there is no construct '{statement.target}' to leave here")
    signal = jumps.exit if isinstance(statement, s.Exit) else jumps.cycle
    return lambda _: signal


def _stop(c: Compiler, statement: s.Stop) -> Closure:
    code = (lambda _: None) if statement.code is None else c.value(statement.code)
    quiet = (lambda _: False) if statement.quiet is None else c.value(statement.quiet)
    error = statement.error
    return lambda f: system.stop(code(f), error, bool(quiet(f)))


_TABLE.update({
    s.Assign: assignments.compile_assign, s.PointerAssign: pointers.compile_pointer_assign,
    s.Call: calls.compile_subroutine, s.CallIntrinsic: intrinsic_subroutines.compile_call, s.If: _if,
    s.SelectCase: _select_case, s.SelectType: _select_type, s.Do: loops.compile_do, s.DoWhile: loops.compile_while,
    s.ParallelLoop: loops.compile_parallel, s.Block: _block, s.Exit: _jump, s.Cycle: _jump,
    s.Return: lambda _c, _statement: lambda _: control.RETURN, s.Stop: _stop,
    s.Continue: lambda _c, _statement: lambda _: None, s.Where: where.compile_where,
    s.Forall: forall.compile_forall, s.Allocate: allocation.compile_allocate,
    s.Deallocate: allocation.compile_deallocate, s.Write: transfers.compile_write, s.Read: transfers.compile_read,
    s.FileStatement: transfers.compile_file, s.NamelistTransfer: transfers.compile_namelist,
})  # fmt: skip

__all__ = ["compile_body", "compile_statement", "raw", "slot_reader"]
