"""From a program to Fortran text that a compiler accepts and that gives the same results."""

from polystencil.ir.printer.programs import print_program
from polystencil.ir.printer.statements import print_body

__all__ = ["print_body", "print_program"]
