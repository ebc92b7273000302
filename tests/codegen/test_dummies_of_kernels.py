"""Dummies that stand for parts of something: components of an element of an array of records, arrays without elements, sections
that are passed on to dummies of explicit shape."""

from __future__ import annotations

import io

import pytest

from polystencil import pipeline
from polystencil.ir.interpreter import run_program
from polystencil.options import Options
from tests.transforms.conftest import parsed

RECORDS = """module k
  implicit none
  type grid
    integer :: n = 11, lo = 2
    real(8) :: w(3) = [0.5d0, 0.25d0, 0.125d0]
  end type
  type field
    type(grid) :: g
    real(8) :: q(11), f(11)
    real(8), allocatable :: own(:)
  end type
  type pair
    type(field) :: both(2)
  end type
contains
  subroutine update(x)
    type(field), intent(inout) :: x
    integer :: i
    do i = x%g%lo, x%g%n - 1
      x%q(i) = x%q(i) + x%g%w(3)*(x%f(i) - x%f(i - 1))
    end do
  end subroutine
  subroutine own_update(x)
    type(field), intent(inout) :: x
    integer :: i
    do concurrent (i = 1:size(x%own))
      x%own(i) = 2*x%own(i) + i
    end do
  end subroutine
  subroutine many(x)
    type(field), intent(inout) :: x(2)
    integer :: i, j
    do concurrent (j = 1:2, i = 2:10)
      x(j)%f(i) = x(j)%q(i + 1) + j
    end do
  end subroutine
end module
program p
  use k
  implicit none
  integer :: i, j
  type(field) :: x(3)
  type(pair) :: pairs(4)
  do i = 1, 11
    x%q(i) = mod(i*i + 3, 7)
    x%f(i) = i
    do j = 1, 4
      pairs(j)%both%q(i) = i*j
      pairs(j)%both%f(i) = i - j
    end do
  end do
  allocate (x(2)%own(5))
  x(2)%own = 1
  call update(x(2))
  call own_update(x(2))
  call many(pairs(3)%both)
  call update(pairs(2)%both(2))
  call many(x(2:3))
  print *, x(1)%q, x(2)%q, x(3)%q
  print *, x(1)%f, x(2)%f, x(2)%own
  print *, pairs(3)%both(1)%f, pairs(3)%both(2)%f, pairs(2)%both(2)%q
end program
"""
EMPTY = """module k
  implicit none
contains
  pure subroutine zero(q, f, k, total)
    real(8), intent(in) :: q(3:)
    real(8), intent(inout) :: f(0:)
    integer, intent(in) :: k
    integer, intent(inout) :: total
    integer :: i
    total = total*3 + lbound(q, 1) + 2*ubound(q, 1) + 5*size(q) + lbound(f, 1) + 7*ubound(f, 1)
    do i = 0, 10
      if (size(f) > 0) then
        if (i <= ubound(f, 1)) f(i) = k
      end if
    end do
  end subroutine
  pure subroutine explicit(q, n, total)
    integer, intent(in) :: n
    real(8), intent(in) :: q(2:n, 4)
    integer, intent(inout) :: total
    total = total*3 + lbound(q, 1) + 2*ubound(q, 1) + 5*size(q) + ubound(q, 2)
  end subroutine
end module
program p
  use k
  implicit none
  integer :: n = 11, t, total
  real(8) :: q(11), f(11)
  do t = 1, 11
    q(t) = t
    f(t) = 2*t
  end do
  total = 0
  do t = 1, 4
    call zero(q(9:n + 1 - t), f(1:2 - t), t, total)
    call explicit(q, 4 - t, total)
    q(t) = q(t) + f(t)
  end do
  print *, total, q, f
end program
"""
STRIDED = """program p
  implicit none
  integer :: i, t
  real(8) :: f(19), q(9), g(4, 6)
  f = [(i*1d0, i = 1, 19)]
  g = reshape([(0.5d0*i, i = 1, 24)], [4, 6])
  q = 0
  do t = 1, 3
    call both(q, f(1:17:2), 9)
    call both(q, g(2, :), 6)
    call whole(q, g(2:3, :))
    call whole(q, g)
    call both(q, f, 9)
    call both(q, f(3:9), 7)
    call both(q, f(9:3:-1), 7)
  end do
  print *, q
contains
  pure subroutine update(x, y, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    real(8), intent(in) :: y(n)
    integer :: i
    do i = 1, n
      x(i) = x(i)*0.5d0 + y(i)
    end do
  end subroutine
  pure subroutine both(u, v, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: u(:)
    real(8), intent(in) :: v(:)
    call update(u, v, n)
  end subroutine
  pure subroutine whole(u, v)
    real(8), intent(inout) :: u(:)
    real(8), intent(in) :: v(:, :)
    call update(u, v, 8)
  end subroutine
end program
"""


@pytest.mark.parametrize("transforms", ["none", "all"])
@pytest.mark.parametrize("text", [RECORDS, EMPTY, STRIDED], ids=["records", "empty", "strided"])
def test_same_as_the_interpreter(text: str, transforms: str) -> None:
    program = parsed(text)
    want, out = io.StringIO(), io.StringIO()
    assert run_program(program, stdout=want) == 0
    options = Options(transforms=transforms, fp="strict", split_min_iterations=0)  # type: ignore[arg-type]  # all or none
    assert pipeline.executable(program, options).run((), stdout=out) == 0
    assert out.getvalue() == want.getvalue()
