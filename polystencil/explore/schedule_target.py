"""What tables and pictures take: a selected procedure, or a schedule."""

from __future__ import annotations

from typing import Protocol

from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import SymbolTable, symbol_table


class Target(Protocol):
    """A program with one of its procedures."""

    @property
    def program(self) -> Program:
        """The whole program."""

    @property
    def procedure(self) -> Procedure:
        """The procedure that is looked at."""


def program_of(target: Target) -> Program:
    """The program of a target."""
    return target.program


def table_of(target: Target) -> SymbolTable:
    """The symbols of a target's program."""
    return symbol_table(target.program)
