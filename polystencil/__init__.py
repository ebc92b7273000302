"""polystencil: a polyhedral toolkit for Fortran stencil programs.

>>> import polystencil as ps
>>> program = ps.parse('''
... subroutine scale(a, n, by)
...   integer, intent(in) :: n
...   real, intent(inout) :: a(n)
...   real, intent(in) :: by
...   integer :: i
...   do i = 1, n
...     a(i) = by*a(i)
...   end do
... end subroutine''', name="scale.f90")
>>> [(r.transform, r.status) for r in ps.explain(program)][:2]
[('bounds', 'applied'), ('parallelize', 'applied')]
"""

from typing import Any

from polystencil.door import compile, explain, parse, show
from polystencil.errors import (
    DeviceError,
    FortranRuntimeError,
    FortranStop,
    PolystencilError,
    SourceError,
    UnsupportedError,
    UsageError,
)
from polystencil.ir.program import Program
from polystencil.options import Options
from polystencil.remarks import Remark

__all__ = [
    "DeviceError",
    "FortranRuntimeError",
    "FortranStop",
    "Options",
    "PolystencilError",
    "Program",
    "Remark",
    "SourceError",
    "UnsupportedError",
    "UsageError",
    "compile",
    "explain",
    "parse",
    "show",
]


def __getattr__(name: str) -> Any:
    """`schedule` and the `explore` package load when they are asked for: pictures need what scripts do not."""
    if name in ("schedule", "explore"):
        import importlib

        explore = importlib.import_module("polystencil.explore")
        return explore if name == "explore" else explore.schedule
    raise AttributeError(name)
