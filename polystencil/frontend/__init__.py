"""Fortran text to the typed IR. `read_program` is the way in."""

from polystencil.frontend.reader import read_program

__all__ = ["read_program"]
