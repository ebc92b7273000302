"""One procedure's compiler: turns its expressions and statements into closures over a frame.

The work is in the modules beside this one; here are the ways in, by what is wanted of an expression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polystencil.ir import expressions as x
from polystencil.ir.interpreter import designators, layouts, operators, scalars
from polystencil.ir.interpreter.scopes import Scope
from polystencil.ir.program import Symbol
from polystencil.ir.statements import Body
from polystencil.ir.types import Type

if TYPE_CHECKING:
    from polystencil.ir.interpreter.machine import Closure, Machine


class Compiler:
    """Compiles within one scope. `jumps` maps the names of enclosing constructs to their exit and cycle signals."""

    def __init__(self, machine: Machine, scope: Scope) -> None:
        self.machine, self.scope = machine, scope
        self.jumps: dict[str, Any] = {}
        self.masks: list[int] = []  # slots of the enclosing where masks

    def symbol(self, id: str) -> Symbol:
        return self.machine.symbols[id]

    def value(self, e: x.Expression) -> Closure:
        """The value: NumPy scalar, ndarray, bytes, Record or RecordArray."""
        return operators.compile_value(self, e)

    def number(self, e: x.Expression) -> Closure:
        """The value of an integer expression as a Python int (subscripts, bounds)."""
        return scalars.compile_number(self, e)

    def variable(self, e: x.Expression) -> Closure:
        """The storage that a designator names: 0-d ndarray, Array or Record."""
        return designators.compile_variable(self, e)

    def cell(self, e: x.Expression) -> Closure:
        """The Allocatable or Pointer of a whole variable or component."""
        return designators.compile_cell(self, e)

    def element(self, t: Type) -> Closure:
        """The dtype or layout of a type."""
        return layouts.element_closure(self, t)

    def pointer_target(self, e: x.Expression) -> Closure:
        """What a pointer may be associated with: storage, a procedure, or None."""
        from polystencil.ir.interpreter import pointers

        return pointers.compile_target(self, e)

    def body(self, body: Body) -> Closure:
        """A statement list; the closure gives None or a signal (see `control`)."""
        from polystencil.ir.interpreter import statements

        return statements.compile_body(self, body)
