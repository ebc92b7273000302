"""Coming to life of variables: fresh storage from a declaration, with bounds and lengths evaluated at that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.interpreter.layouts import number_dtype
from polystencil.ir.interpreter.scalars import constant_number
from polystencil.ir.program import Dimension, Symbol
from polystencil.ir.types import Intrinsic, ProcedureType, Record
from polystencil.semantics.assignment import assign
from polystencil.semantics.association import associate
from polystencil.semantics.values import Allocatable, Array, Pointer, new_array, new_data

if TYPE_CHECKING:
    from polystencil.ir.interpreter.compiler import Compiler
    from polystencil.ir.interpreter.machine import Closure


def lower_bound(c: Compiler, d: Dimension) -> Closure:
    """The declared lower bound; 1 when there is none."""
    return (lambda _: 1) if d.lower is None else c.number(d.lower)


def _constant_bounds(shape: tuple[Dimension, ...]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Bounds that are the same at every activation."""
    lower, upper = [], []
    for d in shape:
        low = 1 if d.lower is None else constant_number(d.lower)
        high = constant_number(d.upper) if isinstance(d.upper, x.Expression) else None
        if low is None or high is None:
            return None
        lower.append(low)
        upper.append(high)
    return tuple(lower), tuple(upper)


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
    fixed = _constant_bounds(symbol.shape)
    if fixed is not None and dtype is not None:
        model = new_array(dtype, *fixed)
        low, shape = model.lower, model.data.shape
        return lambda _: Array(np.zeros(shape, dtype, order="F"), low)
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

    if symbol.initial is None or isinstance(symbol.initial, x.Null):
        return None
    if "pointer" in symbol.attributes:
        target = c.pointer_target(symbol.initial)
        return lambda f, storage: associate(storage, target(f))
    value = c.value(symbol.initial)
    return lambda f, storage: assign(storage, value(f))
