"""Activation of procedures: dummies bound to actual arguments, locals created, the body run, copies copied back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polystencil.errors import FortranRuntimeError, UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.interpreter.compiler import Compiler
from polystencil.ir.interpreter.designators import holds_cell
from polystencil.ir.interpreter.scopes import _block_symbols
from polystencil.ir.interpreter.variables import compile_creator, lower_bound
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.types import Intrinsic, ProcedureType, Record
from polystencil.semantics.assignment import assign
from polystencil.semantics.association import as_assumed_shape, as_explicit_shape, is_contiguous
from polystencil.semantics.sections import substring_view
from polystencil.semantics.values import Array, new_record
from polystencil.semantics.values import Record as RecordValue

if TYPE_CHECKING:
    from polystencil.ir.interpreter.machine import Frame, Machine


@dataclass(frozen=True, eq=False)
class Sequence:
    """An actual argument that stands for the elements of `array` from element number `start` (0-based) on."""

    array: Array
    start: int


class Routine:
    """One procedure, compiled at its first call."""

    def __init__(self, machine: Machine, procedure: Procedure) -> None:
        self.machine, self.procedure = machine, procedure
        self.elemental = "elemental" in procedure.prefixes
        self.dummies = [self._dummy(id) for id in procedure.dummies]
        self._ready = False

    def _dummy(self, id: str) -> Symbol:
        if id == "*":
            raise UnsupportedError(f"procedure {self.procedure.name}: alternate returns are not supported")
        return self.machine.symbols[id]

    def _prepare(self) -> None:
        self._ready = True
        procedure, machine = self.procedure, self.machine
        self.scope = machine.scope(procedure.id)
        c = Compiler(machine, self.scope)
        slots = self.scope.slots
        binders = [(k, slots[d.id], _binder(c, d), _needs_others(d)) for k, d in enumerate(self.dummies)]
        binders.sort(key=lambda b: b[3])  # stable: scalars first, then what may name them
        self._binders = [(k, slot, bind) for k, slot, bind, _ in binders]
        inner = _block_symbols_of(machine)
        names = set(procedure.dummies)
        self._creators = []
        for id, slot in slots.items():
            if id in names or id in inner:
                continue
            creator = compile_creator(c, machine.symbols[id])
            if creator is not None:
                self._creators.append((slot, creator))
        self._body = c.body(procedure.body)
        self._result: Any = None
        if procedure.result is not None:
            if procedure.result in machine.static:
                storage = machine.static_storage(procedure.result)
                self._result = lambda _: storage
            else:
                slot = slots[procedure.result]
                self._result = lambda f: f[slot]

    def invoke(self, host: Any, actuals: list[Any]) -> Any:
        """Run the procedure; gives what stands for its result (storage or cell)."""
        if not self._ready:
            self._prepare()
        frame: Frame = [None] * self.scope.size
        frame[0] = host
        backs: list[Any] = []
        for k, slot, bind in self._binders:
            actual = actuals[k] if k < len(actuals) else None
            frame[slot] = actual if bind is None or actual is None else bind(frame, actual, backs)
        for slot, create in self._creators:
            frame[slot] = create(frame)
        self._body(frame)
        for back in backs:
            back()
        return self._result(frame) if self._result is not None else None


def _block_symbols_of(machine: Machine) -> set[str]:
    known: set[str] | None = getattr(machine, "_block_ids", None)
    if known is None:
        known = _block_symbols(machine.program)
        machine._block_ids = known  # type: ignore[attr-defined]  # a cache of this module alone
    return known


def _needs_others(d: Symbol) -> bool:
    """Bound after the scalars: its bounds or length may name other dummies."""
    if d.shape is not None:
        return True
    return isinstance(d.type, Intrinsic) and isinstance(d.type.length, x.Expression)


def _binder(c: Compiler, d: Symbol) -> Any:
    """What turns an actual argument into what stands in the slot; None when nothing has to be done."""
    if isinstance(d.type, ProcedureType):
        return None
    if holds_cell(d):
        return _deallocated if d.intent == "out" and "allocatable" in d.attributes else None
    if d.shape is None:
        return _scalar_binder(c, d)
    lower = [lower_bound(c, s) for s in d.shape]
    if any(s.upper is not None for s in d.shape):
        return _with_default(_sequence_binder(c, d, lower), d)

    def assumed(f: Any, actual: Any, _backs: list[Any]) -> Any:
        return as_assumed_shape(_array_of(actual, d).data, tuple(b(f) for b in lower))

    return _with_default(assumed, d)


def _deallocated(_f: Any, actual: Any, _backs: list[Any]) -> Any:
    actual.value = None
    return actual


def _array_of(actual: Any, d: Symbol) -> Array:
    if isinstance(actual, Sequence):
        return actual.array
    if not isinstance(actual, Array):
        raise FortranRuntimeError(f"dummy argument {d.name} is an array, the actual argument a scalar")
    return actual


def _sequence_binder(c: Compiler, d: Symbol, lower: list[Any]) -> Any:
    assert d.shape is not None
    upper = [None if s.upper is None or isinstance(s.upper, str) else c.number(s.upper) for s in d.shape]
    element = c.element(d.type) if isinstance(d.type, Intrinsic) and isinstance(d.type.length, x.Expression) else None

    def bind(f: Any, actual: Any, backs: list[Any]) -> Any:
        start = actual.start if isinstance(actual, Sequence) else 0
        data = (actual.array if isinstance(actual, Sequence) else _array_of(actual, d)).data
        if element is not None and data.dtype != (wanted := element(f)):
            data, start = _regrouped(data, wanted, start, d)
        try:
            dummy, back = as_explicit_shape(
                data, tuple(b(f) for b in lower), tuple(None if b is None else b(f) for b in upper), start
            )
        except FortranRuntimeError as error:
            raise FortranRuntimeError(f"{d.name}: {error.message}") from None
        if back is not None and d.intent != "in":
            backs.append(back)
        return dummy

    return bind


def _regrouped(data: Any, wanted: Any, start: int, d: Symbol) -> tuple[Any, int]:
    """Character storage seen with another element length, as sequence association allows."""
    if not is_contiguous(data) or wanted.itemsize == 0 or (start * data.dtype.itemsize) % wanted.itemsize:
        raise UnsupportedError(f"argument {d.name}: characters of another length that are not contiguous")
    flat = data.reshape(-1, order="F").view("S1")
    whole = flat.size // wanted.itemsize * wanted.itemsize
    return flat[:whole].view(wanted), start * data.dtype.itemsize // wanted.itemsize


def _scalar_binder(c: Compiler, d: Symbol) -> Any:
    if isinstance(d.type, Intrinsic) and isinstance(d.type.length, x.Expression):
        element = c.element(d.type)

        def text(f: Any, actual: Any, _backs: list[Any]) -> Any:
            storage = _scalar_of(actual)
            width = element(f).itemsize
            if storage.dtype.itemsize < width:
                raise FortranRuntimeError(
                    f"dummy argument {d.name} has length {width}, the actual argument only {storage.dtype.itemsize}"
                )
            return storage if storage.dtype.itemsize == width else substring_view(storage, 1, width)

        return text
    if isinstance(d.type, Record) and d.intent == "out":
        return _with_default(lambda _, actual, _backs: _scalar_of(actual), d)
    return None


def _scalar_of(actual: Any) -> Any:
    return actual.array.data[(0,) * len(actual.array.lower)] if isinstance(actual, Sequence) else actual


def _with_default(bind: Any, d: Symbol) -> Any:
    """intent(out) of a derived type: default initialisation at entry."""
    if not isinstance(d.type, Record) or d.intent != "out":
        return bind

    def fresh(f: Any, actual: Any, backs: list[Any]) -> Any:
        storage = bind(f, actual, backs)
        data = storage.data if isinstance(storage, Array) else storage
        if isinstance(storage, (Array, RecordValue)):
            assign(data, new_record(data.layout))
        return storage

    return fresh
