"""How long does a program of 5,000 lines with 100 procedures take to compile, one of which is called?

    python bench/compile_speed.py
"""

from __future__ import annotations

import sys
import time

from polystencil import door, pipeline
from polystencil.options import Options
from polystencil.transforms.only_procedure import only_reached

STATEMENTS = 5  # loop nests a procedure


def source(procedures: int) -> str:
    """A module of procedures with stencil loops, and a main program that calls the first."""
    out = ["module many", "  implicit none", "contains"]
    for k in range(procedures):
        out += [f"  subroutine work_{k}(a, b, n, m)", "    integer, intent(in) :: n, m",
                "    real, intent(inout) :: a(n, m), b(n, m)", "    integer :: i, j", "    real :: t"]  # fmt: skip
        for q in range(STATEMENTS):
            out += ["    do j = 2, m - 1", "      do i = 2, n - 1", f"        t = a(i - 1, j) + a(i + 1, j) - {q}.0*a(i, j)",
                    "        if (t > 0.0) then", "          b(i, j) = t + a(i, j - 1)", "        else",
                    "          b(i, j) = a(i, j + 1)", "        end if", "      end do", "    end do"]  # fmt: skip
        out.append(f"  end subroutine work_{k}")
    out += ["end module many", "program main", "  use many", "  implicit none", "  real :: a(40, 30), b(40, 30)",
            "  a = 1.0", "  b = 0.0", "  call work_0(a, b, 40, 30)", "  print '(f10.3)', sum(b)", "end program main"]  # fmt: skip
    return "\n".join(out) + "\n"


def main() -> int:
    """Measure the stages."""
    text = source(88)
    print(f"{len(text.splitlines())} lines")
    began = time.perf_counter()
    program = only_reached(door.parse(text, name="many.f90"))
    parsed = time.perf_counter()
    generated = pipeline.generate(program, Options())
    end = time.perf_counter()
    print(f"parse {parsed - began:.2f} s, transform and generate what the main program reaches {end - parsed:.2f} s, "
          f"{len(generated.kernels)} kernels")  # fmt: skip
    whole = door.parse(text, name="many.f90")
    began = time.perf_counter()
    generated = pipeline.generate(whole, Options())
    end = time.perf_counter()
    print(f"transform and generate all 88 procedures {end - began:.2f} s, {len(generated.kernels)} kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
