"""How fast is the front end? Lines per second to the tree, and a 2,000-line program through to the IR.

Run: python bench/parse_speed.py [lines]
"""

from __future__ import annotations

import sys
import time

from polystencil.errors import SourceText
from polystencil.frontend import read_program
from polystencil.frontend.parse import parse
from polystencil.frontend.source import read_source

_PROCEDURE = """
  subroutine step{k}(u, unew, v, n, m, dt, dx)
    integer, intent(in) :: n, m
    real(8), intent(in) :: dt, dx
    real(8), intent(inout) :: u(0:n + 1, 0:m + 1), unew(0:n + 1, 0:m + 1)
    real(8), intent(in) :: v(0:n + 1, 0:m + 1)
    real(8) :: east, west, north, south, total
    integer :: i, j
    total = 0.0d0
    do concurrent (j = 1:m, i = 1:n) local(east, west, north, south)
      east = 0.5d0*(u(i, j) + u(i + 1, j)) - v(i, j)*(u(i + 1, j) - u(i, j))/dx
      west = 0.5d0*(u(i - 1, j) + u(i, j)) - v(i - 1, j)*(u(i, j) - u(i - 1, j))/dx
      north = 0.5d0*(u(i, j) + u(i, j + 1)) - v(i, j)*(u(i, j + 1) - u(i, j))/dx
      south = 0.5d0*(u(i, j - 1) + u(i, j)) - v(i, j - 1)*(u(i, j) - u(i, j - 1))/dx
      unew(i, j) = u(i, j) - dt/dx*(east - west + north - south) + 0.25d0*sqrt(abs(v(i, j)))
    end do
    do j = 1, m
      do i = 1, n
        if (unew(i, j) > 1.0d3) then
          unew(i, j) = 1.0d3
        else if (unew(i, j) < -1.0d3) then
          unew(i, j) = -1.0d3
        end if
        total = total + unew(i, j)*max(dx, 1.0d-3)
      end do
    end do
    u(1:n, 1:m) = unew(1:n, 1:m)
    if (mod(n, 2) == 0) print '(a,i0,a,f12.6)', 'step ', {k}, ' total ', total
  end subroutine step{k}
"""


def program_of(lines: int) -> str:
    """A module of stencil procedures with about `lines` lines."""
    count = max(1, lines // _PROCEDURE.count("\n"))
    procedures = "".join(_PROCEDURE.replace("{k}", str(k)) for k in range(count))
    return f"module steps\n  implicit none\ncontains\n{procedures}end module steps\n"


def main() -> None:
    """Measure and print."""
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    source = SourceText("steps.f90", program_of(lines))
    count = source.text.count("\n")

    def best(run: object) -> float:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            run()  # type: ignore[operator]  # a function
            times.append(time.perf_counter() - start)
        return min(times)

    tree = best(lambda: parse(read_source(source, {}, ())))
    whole = best(lambda: read_program([source]))
    print(f"{count} lines: tree {tree * 1e3:.1f} ms ({count / tree:,.0f} lines/s)")
    print(f"{count} lines: IR {whole * 1e3:.1f} ms ({count / whole:,.0f} lines/s)")


if __name__ == "__main__":
    main()
