"""The state of one interpreted program: static storage, layouts, compiled procedures, units.

A frame is a list: slot 0 holds the frame of the host procedure, every other slot one variable of the procedure. A
closure is a compiled expression or statement: it takes the frame.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from polystencil.errors import FortranRuntimeError, Span
from polystencil.ir.interpreter.layouts import Layouts
from polystencil.ir.interpreter.scopes import Scope, static_ids
from polystencil.ir.program import Procedure, Program, Symbol
from polystencil.ir.symbols import symbol_table
from polystencil.semantics.io.units import Units

if TYPE_CHECKING:
    from polystencil.ir.interpreter.procedures import Routine

Frame = list[Any]
Closure = Callable[[Frame], Any]
ParallelOrder = Literal["forward", "reverse", "random"]


class Machine:
    """Everything that outlives a single statement."""

    def __init__(
        self,
        program: Program,
        units: Units,
        parallel_order: ParallelOrder = "forward",
        seed: int = 0,
        fuse: bool = True,
    ) -> None:
        self.program, self.units, self.parallel_order, self.fuse = program, units, parallel_order, fuse
        self.table = symbol_table(program)
        self.symbols = self.table.symbols
        self.random = random.Random(seed)
        self.layouts = Layouts(self)
        self.static = static_ids(program, self.table)
        self.storage: dict[str, Any] = {}
        self.blocks: dict[str, np.ndarray[Any, Any]] = {
            b.id: np.zeros(b.size, np.uint8) for b in self.table.blocks.values()
        }
        self.scopes: dict[str, Scope] = {}
        self._routines: dict[str, Routine] = {}
        self._lines = {source.name: source for source in program.sources}
        from polystencil.ir.interpreter.static_storage import initialise

        initialise(self)

    def scope(self, owner: str) -> Scope:
        """The slots of a procedure (or module, which has none)."""
        if owner not in self.scopes:
            self.scopes[owner] = Scope(self, owner)
        return self.scopes[owner]

    def static_storage(self, id: str) -> Any:
        """The storage of a static variable, created when first asked for."""
        if id not in self.storage:
            from polystencil.ir.interpreter.static_storage import create

            create(self, id)
        return self.storage[id]

    def routine(self, id: str) -> Routine:
        """The compiled procedure of this id."""
        from polystencil.ir.interpreter.procedures import Routine

        if id not in self._routines:
            procedure = self.table.procedures.get(id)
            if procedure is None or procedure.interface_only:
                procedure = self._implementation(id, procedure)
            self._routines[id] = Routine(self, procedure)
        return self._routines[id]

    def _implementation(self, id: str, interface: Procedure | None) -> Procedure:
        """The external procedure that an interface body describes."""
        name = interface.name if interface is not None else id
        found = self.table.procedures.get(name)
        if found is None or found.interface_only:
            raise FortranRuntimeError(f"procedure {name} is called, but there is no source of it")
        return found

    def symbol(self, id: str) -> Symbol:
        return self.symbols[id]

    def located(self, error: FortranRuntimeError, span: Span) -> FortranRuntimeError:
        """The same error at a place in the source; its kind and iostat are kept."""
        if error.span is not None:
            return error
        source = self._lines.get(span.file)
        line = source.line(span.line) if source is not None else ""
        new = FortranRuntimeError(error.message, span, line, error.hint)
        if hasattr(error, "iostat"):
            new.iostat = error.iostat  # type: ignore[attr-defined]  # kept for iostat=
        return new
