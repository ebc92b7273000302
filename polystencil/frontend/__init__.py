"""From Fortran text to a program. The parser is imported when it is first asked for: cached programs need none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polystencil.frontend.reader import read_program

__all__ = ["read_program"]


def __getattr__(name: str) -> Any:
    if name != "read_program":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from polystencil.frontend.reader import read_program

    globals()[name] = read_program
    return read_program
