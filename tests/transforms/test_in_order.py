"""A loop that is proven to leave its array stops the program, also inside of a pure procedure."""

from __future__ import annotations

from pathlib import Path

import pytest

import polystencil as ps

from .conftest import gfortran_output

TEXT = """program p
  implicit none
  integer :: k(3), i
  print *, "before"
  do concurrent (i = 1:3)
    k(i) = f(i)
  end do
  print *, k
contains
  pure integer function f(i)
    integer, intent(in) :: i
    integer :: w(4), j
    do j = 1, 5
      w(j) = i
    end do
    f = w(1)
  end function
end program
"""


@pytest.mark.usefixtures("gfortran")
def test_a_pure_procedure_stops_without_writing(tmp_path: Path) -> None:
    printed = ps.show(TEXT, after="parallelize", transforms="none")
    inside = printed[printed.index("pure function f") :]
    assert "error stop 2" in inside
    assert "write" not in inside
    assert gfortran_output(printed, tmp_path) == " before\n[2]"


def test_a_mask_that_the_body_changes_is_not_read_in_each_iteration() -> None:
    text = """subroutine s(a, n)
  integer, intent(in) :: n
  integer, intent(inout) :: a(0:n)
  integer :: i
  do concurrent (i = 1:n, i < 5 .or. a(i) > 0)
    a(i) = a(i - 1)
  end do
end subroutine
"""
    assert [r.status for r in ps.explain(text) if r.transform == "race"] == ["refused"]
    printed = ps.show(text, after="parallelize", transforms="none")
    assert "do concurrent (i = 1:n, i < 5 .or. a(i) > 0)" in printed
