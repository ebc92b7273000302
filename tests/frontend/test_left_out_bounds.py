"""Sections with bounds that are left out: the array's own, also where the step is negative (F2018 9.5.3.3.1)."""

from __future__ import annotations

from polystencil.testing.equal_runs import interpreted, parsed

PROGRAM = """program p
  integer, parameter :: c(5) = [1, 2, 3, 4, 5]
  integer :: i, a(5), b(5)
  a = [5, 4, 3, 2, 1]
  b = 0
  b(::-1) = 7
  print *, size(a(::-1)), size(a(4::-1)), size(a(:2:-1)), size(c(::-1)), a(5:1:-1), b
  do concurrent (i = 1:5)
    b(i) = sum(a(::-1)) + sum(a(i:1:-1))
  end do
  print *, b
  associate (r => a(::-1), t => a(5:1:-1))
    print *, size(r), t(1), t(2:3), t(::2), size(t(::-1))
  end associate
end program
"""


def test_they_are_the_arrays_own() -> None:
    found = [[int(e) for e in line.split()] for line in interpreted(parsed(PROGRAM))[0].splitlines()]
    assert found == [  # what gfortran prints
        [0, 0, 0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0],
        [5, 9, 12, 14, 15],
        [0, 1, 2, 3, 1, 3, 5, 0],
    ]
