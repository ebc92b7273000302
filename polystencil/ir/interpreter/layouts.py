"""From IR types to dtypes and record layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polystencil.errors import UnsupportedError
from polystencil.ir import expressions as x
from polystencil.ir.program import Symbol
from polystencil.ir.types import Intrinsic, Record, Type
from polystencil.semantics.values import Element, Field, RecordLayout, dtype_of

if TYPE_CHECKING:
    from polystencil.ir.interpreter.machine import Closure, Machine


def number_dtype(t: Type) -> np.dtype[Any] | None:
    """The dtype of an intrinsic type; None for others and for characters, whose length may vary."""
    if isinstance(t, Intrinsic) and t.base != "character":
        return dtype_of(t.base, t.kind)
    return None


class Layouts:
    """The record layouts of a program, made when first asked for."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._known: dict[str, RecordLayout] = {}

    def of(self, id: str) -> RecordLayout:
        """The layout of a derived type."""
        if id in self._known:
            return self._known[id]
        definition = self._machine.table.types[id]
        if definition.final:
            raise UnsupportedError(f"type {definition.name} has final procedures", definition.span)
        layout = RecordLayout(id)
        self._known[id] = layout  # before the components: a pointer component may have this very type
        layout.parent = self.of(definition.extends) if definition.extends else None
        layout.fields = tuple(self._field(c) for c in definition.components)
        return layout

    def _field(self, component: Symbol) -> Field:
        from polystencil.ir.interpreter.compiler import Compiler

        compiler = Compiler(self._machine, self._machine.scope(""))
        frame: list[Any] = [None]
        if component.attributes & {"allocatable", "pointer"} or not isinstance(component.type, (Intrinsic, Record)):
            initial = None
            if component.initial is not None and not isinstance(component.initial, x.Null):
                initial = compiler.pointer_target(component.initial)(frame)
            state = "allocatable" if "allocatable" in component.attributes else "pointer"
            return Field(component.name, None, state=state, initial=initial)  # type: ignore[arg-type]  # one of State
        element = compiler.element(component.type)(frame)
        lower: list[int] = []
        shape: list[int] = []
        for d in component.shape or ():
            low = 1 if d.lower is None else compiler.number(d.lower)(frame)
            assert isinstance(d.upper, x.Expression)
            lower.append(low)
            shape.append(max(0, compiler.number(d.upper)(frame) - low + 1))
        initial = None if component.initial is None else compiler.value(component.initial)(frame)
        return Field(component.name, element, tuple(shape), tuple(lower), "plain", initial)


def element_closure(compiler: Any, t: Type) -> Closure:
    """The dtype or layout of a declared type; the length of a character may depend on the frame."""
    if isinstance(t, Record):
        layout = compiler.machine.layouts.of(t.id) if t.id != "*" else None
        return lambda _: layout
    assert isinstance(t, Intrinsic)
    if t.base != "character":
        dtype = dtype_of(t.base, t.kind)
        return lambda _: dtype
    if t.length is None:
        return lambda _: dtype_of("character", 1, 1)
    if isinstance(t.length, str):
        return lambda _: dtype_of("character", 1, 0)
    if isinstance(t.length, (x.Literal, x.NamedConstant)):
        fixed: Element = dtype_of("character", 1, int(t.length.value.real))  # type: ignore[union-attr]  # lengths are integers
        return lambda _: fixed
    length = compiler.number(t.length)
    return lambda f: dtype_of("character", 1, length(f))
