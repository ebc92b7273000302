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
