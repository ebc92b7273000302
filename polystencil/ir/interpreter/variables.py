"""Coming to life of variables: fresh storage from a declaration, with bounds and lengths evaluated at that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polystencil.errors import UnsupportedError
from polystencil.ir.interpreter.layouts import number_dtype
from polystencil.ir.program import Dimension, Symbol
from polystencil.ir.types import Intrinsic, ProcedureType, Record
from polystencil.semantics.values import Allocatable, Pointer, new_array, new_data

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


def lower_bound(c: Compiler, d: Dimension) -> Closure:
    """The declared lower bound; 1 when there is none."""
    return (lambda _: 1) if d.lower is None else c.number(d.lower)


def compile_creator(c: Compiler, symbol: Symbol) -> Closure | None:
    """What makes fresh storage for a local, saved or block variable; None for names that have no storage."""
    if "allocatable" in symbol.attributes:
        return lambda _: Allocatable()
    if "pointer" in symbol.attributes:
        return lambda _: Pointer()
    if not isinstance(symbol.type, (Intrinsic, Record)):
        return (lambda _: Pointer()) if isinstance(symbol.type, ProcedureType) else None
    if isinstance(symbol.type, Record) and symbol.type.polymorphic:
        return None  # a dummy, or the variable of select type, which is bound to existing storage
    element, dtype = c.element(symbol.type), number_dtype(symbol.type)
    if symbol.shape is None:
        if dtype is not None:
            return lambda _: new_data(dtype, ())
        return lambda f: new_data(element(f), ())
    lower = [lower_bound(c, d) for d in symbol.shape]
    upper = []
    for d in symbol.shape:
        if d.upper is None or isinstance(d.upper, str):
            raise UnsupportedError(f"array {symbol.name} needs explicit bounds", symbol.span)
        upper.append(c.number(d.upper))

    def create(f: Any) -> Any:
        return new_array(element(f), tuple(b(f) for b in lower), tuple(b(f) for b in upper))

    return create


def initial_setter(c: Compiler, symbol: Symbol) -> Any:
    """What stores the initial value of a declaration into its fresh storage; None when there is none."""
    from polystencil.ir import expressions as x
    from polystencil.semantics.assignment import assign
    from polystencil.semantics.association import associate

    if symbol.initial is None or isinstance(symbol.initial, x.Null):
        return None
    if "pointer" in symbol.attributes:
        target = c.pointer_target(symbol.initial)
        return lambda f, storage: associate(storage, target(f))
    value = c.value(symbol.initial)
    return lambda f, storage: assign(storage, value(f))
