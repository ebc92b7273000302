"""Programs with which inlining, split, jam or the race check might go wrong: none may print anything else afterwards.

Each one is the smallest form of a mistake that was made once, or that the rule in its name guards against.

One list of programs, so one file.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

PROGRAMS = {
    "mask_reads_what_the_body_writes": """program p
 integer :: a(10), i
 a = [(mod(i,3), i=1,10)]
 do concurrent (i = 2:10, a(i-1) == 1)
  a(i) = 1
 end do
 print *, a
end program
""",
    "the_size_of_an_explicit_dummy_is_its_own": """module m
contains
 pure integer function f(a, n, i)
  integer, intent(in) :: n, a(n), i
  f = a(i)
  if (i == size(a, 1)) f = f + 100
  if (i == ubound(a, 1)) f = f + 1000
 end function
 pure integer function g(a, i)
  integer, intent(in) :: a(:), i
  g = a(i) + size(a, 1)
 end function
 pure integer function h(a, n, i)
  integer, intent(in) :: n, a(n), i
  h = g(a, i)
 end function
end module
program p
 use m
 integer :: a(20), b(20), c(20), i
 a = [(i*i, i=1,20)]
 b = 0
 c = 0
 do concurrent (i = 1:12)
  if (i == 1) then
   b(i) = 5
  else
   b(i) = f(a, 10, min(i,10))
   c(i) = h(a, 10, min(i,10))
  end if
 end do
 print *, b, c
end program
""",
    "a_component_of_an_array_of_records_as_argument": """module m
 type t
  integer :: x, y
 end type
contains
 pure integer function f(a, i)
  integer, intent(in) :: a(:), i
  f = a(i)
  if (i > 1) f = f - a(i-1)
 end function
end module
program p
 use m
 type(t) :: s(0:20)
 integer :: b(20), i
 do i = 0, 20
  s(i) = t(i*i, -i)
 end do
 b = 0
 do concurrent (i = 1:20)
  if (i == 1) then
   b(i) = 5
  else
   b(i) = f(s%x, i)
  end if
 end do
 print *, b
end program
""",
    "a_private_module_variable_of_an_inlined_function": """module m
 private
 integer :: hidden = 4
 public :: f
contains
 pure integer function f(i)
  integer, intent(in) :: i
  f = i*hidden
  if (i > 2) f = f + 1
 end function
end module
program p
 use m
 integer :: b(20), i
 do concurrent (i = 1:20)
  if (i == 1) then
   b(i) = 5
  else
   b(i) = f(i)
  end if
 end do
 print *, b
end program
""",
    "a_test_of_a_scalar_with_another_name": """program p
 integer :: b(20), i, t, u
 equivalence (t, u)
 do i = 1, 20
  t = i
  u = 5
  if (t == 1) then
   b(i) = 3
  else
   b(i) = i
  end if
 end do
 print *, b
end program
""",
    "an_iteration_cut_short_by_cycle": """program p
 call s(12, 10)
contains
subroutine s(n, m)
 integer, intent(in) :: n, m
 real(8) :: a(n,0:m+1), b(n,m)
 integer :: i, j
 do j = 0, m+1
  do i = 1, n
   a(i,j) = mod(i*j+i, 7)
  end do
 end do
 b = -1
 do concurrent (j = 1:m, i = 1:n)
  if (mod(i, 3) == 1) cycle
  if (j == 1) then
   b(i,j) = a(i,j)
  else
   b(i,j) = a(i,j-1) + a(i,j+1)
  end if
 end do
 print *, b
end subroutine
end program
""",
    "an_iteration_cut_short_by_exit": """program p
 call s(12, 10)
contains
subroutine s(n, m)
 integer, intent(in) :: n, m
 real(8) :: a(n,0:m+1), b(n,m)
 integer :: i, j
 do j = 0, m+1
  do i = 1, n
   a(i,j) = mod(i*j+i, 7)
  end do
 end do
 b = -1
 do concurrent (j = 1:m, i = 1:n)
  w: block
  if (mod(i, 3) == 1) exit w
  if (j == 1) then
   b(i,j) = a(i,j)
  else
   b(i,j) = a(i,j-1) + a(i,j+1)
  end if
 end block w
 end do
 print *, b
end subroutine
end program
""",
    "an_inner_loop_with_cycle_and_exit": """program p
 call s(12, 10)
contains
subroutine s(n, m)
 integer, intent(in) :: n, m
 real(8) :: a(n,0:m+1), b(n,m)
 integer :: i, j, k
 do j = 0, m+1
  do i = 1, n
   a(i,j) = mod(i*j+i, 7)
  end do
 end do
 b = -1
 do concurrent (j = 1:m, i = 1:n)
  if (j == 1) then
   b(i,j) = a(i,j)
  else
   b(i,j) = 0
   q: do k = 1, 3
    if (k == j) cycle q
    if (k > i) exit q
    b(i,j) = b(i,j) + a(i,j-1) + a(i,j+1)*k
   end do q
  end if
 end do
 print *, b
end subroutine
end program
""",
    "indices_beyond_32_bits": """program p
 integer(8) :: i
 integer(8), parameter :: o = 5000000000_8
 integer :: b(o:o+30)
 do concurrent (i = o:o+30)
  if (i == o) then
   b(i) = 3
  else if (i >= o + 29) then
   b(i) = 4
  else
   b(i) = int(i - o)
  end if
 end do
 print *, b
end program
""",
    "two_indices_beyond_32_bits": """program p
 integer(8) :: i, j
 integer(8), parameter :: o = 5000000000_8
 integer :: b(o:o+30, o:o+9)
 do concurrent (j = o:o+9, i = o:o+30)
  if (i == o .or. j == o + 9) then
   b(i, j) = 3
  else if (i >= o + 29) then
   b(i, j) = 4
  else
   b(i, j) = int(i - o) + int(j - o)
  end if
 end do
 print *, b
end program
""",
    "tests_against_a_variable_bound": """program p
 integer :: b(20), n, i
 n = 20
 do concurrent (i = 1:n)
  if (i == 1) then
   b(i) = 3
  else if (i == n) then
   b(i) = 4
  else
   b(i) = 7
  end if
 end do
 print *, b
end program
""",
    "a_do_while_over_an_intermediate_array": """program p
 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]
 w = 0
 do step = 1, 4
  do concurrent (i = 0:12)
   if (i > 3) then
    f(i) = q(i) - 1
   else
    f(i) = q(i)
   end if
  end do
  do concurrent (i = 1:11)
   block
    integer :: k
    k = i
    do while (f(k) > 0.5d0 .and. k > 1)
     k = k - 1
    end do
    w(i) = w(i) + k
   end block
  end do
 end do
 print *, w
end program
""",
    "an_intermediate_array_read_in_the_next_step": """program p
 call s(12)
contains
subroutine s(n)
 integer, intent(in) :: n
 integer :: i, step
 real(8) :: q(0:n), f(0:n), w(0:n)
 q = [(0.25d0*mod(i*i+3,11), i=0,n)]
 w = 0
 f = 0
 do step = 1, 4
  do concurrent (i = 0:n)
   w(i) = w(i) + f(i)
  end do
  do concurrent (i = 0:n)
   f(i) = q(i)
  end do
  do concurrent (i = 1:n-1)
   q(i) = q(i) + f(i) - f(i-1)
  end do
 end do
 print *, w, q
end subroutine
end program
""",
    "an_intermediate_array_allocated_again": """program p
 call s(12)
contains
subroutine s(n)
 integer, intent(in) :: n
 integer :: i, step
 real(8) :: q(0:n), w(0:n)
 real(8), allocatable :: f(:)
 allocate (f(0:n))
 q = [(0.25d0*mod(i*i+3,11), i=0,n)]
 w = 0
 do step = 1, 4
  do concurrent (i = 0:n)
   f(i) = q(i)
  end do
  do concurrent (i = 1:n-1)
   q(i) = q(i) + f(i) - f(i-1)
  end do
  if (step == 2) then
   deallocate (f)
   allocate (f(0:n))
  end if
 end do
 print *, w, q
end subroutine
end program
""",
    "exit_and_cycle_of_a_loop_in_the_body": """program p
 integer :: k, b(20), n, i
 n = 20
 do concurrent (i = 1:n)
  block
   integer :: t
   t = 0
   do k = 1, 3
    if (k == i) cycle
    if (i + k == n) exit
    t = t + k
   end do
   b(i) = t
  end block
 end do
 print *, b
end program
""",
    "wrapping_around_twice": """program p
 call s(4)
 call s(3)
 call s(2)
contains
subroutine s(n)
 integer, intent(in) :: n
 integer :: a(n), b(n), i
 a = [(i*i, i=1,n)]
 do concurrent (i = 1:n)
  b(i) = a(modulo(i - 4, n) + 1) + a(mod(i + 2, n) + 1)
 end do
 print *, b
end subroutine
end program
""",
    "negative_remainders": """program p
 integer :: a(-10:10), b(20), i
 a = [(i*i, i=-10,10)]
 do concurrent (i = 1:20)
  b(i) = a(mod(i - 5, 4)) + a((i - 8)/3) + a(modulo(i - 9, -4)) + merge(1, 0, mod(i - 3, -3) == -1)
  if (i == 1) b(i) = 0
 end do
 print *, b
end program
""",
    "tests_kept_in_logical_scalars": """program p
 integer :: b(20), i
 logical :: edge
 do concurrent (i = 1:20)
  edge = i == 1 .or. i == 20
  if (edge) then
   b(i) = 1
  else
   b(i) = 2
  end if
  edge = .not. edge .and. i > 5
  if (edge) b(i) = b(i) + 10
 end do
 print *, b
end program
""",
    "comparisons_with_nan": """program p
 real :: a(20), b(20), z
 integer :: i
 z = 0
 a = 1
 a(7) = sqrt(-1.0 - z)
 do concurrent (i = 1:20)
  if (i == 1) then
   b(i) = 0
  else if (.not. a(i) > 0.5) then
   b(i) = 3
  else if (a(i) /= a(i)) then
   b(i) = 4
  else
   b(i) = 5
  end if
 end do
 print *, b
end program
""",
}


@pytest.mark.parametrize("cache", [100, 10**6])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_output_is_unchanged(name: str, cache: int, same: Callable[..., object]) -> None:
    same(PROGRAMS[name], cache_bytes=cache)


def test_an_index_of_one_byte_is_not_split() -> None:
    from polystencil import explain

    text = """program p
 integer(1) :: i
 integer :: b(-120:120)
 do concurrent (i = -120_1:120_1)
  b(i) = merge(3, 7, i == -120)
 end do
 print *, b
end program
"""
    assert [r.status for r in explain(text) if r.transform == "split"] == ["refused"]
