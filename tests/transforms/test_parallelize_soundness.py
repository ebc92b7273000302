"""Programs with which parallelize, or the model that it asks, might go wrong: none may print anything else afterwards.

Each one is the smallest form of a mistake that was made once, or that the rule in its name guards against.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

PROGRAMS = {
    "an_element_of_records_and_a_component_are_one_storage": """
program p
 type t
  integer :: x, y
 end type
 type(t) :: a(0:20), q
 integer :: b(20), i
 q%x = 7; q%y = 1
 do i = 0, 20
  a(i)%x = i; a(i)%y = 2*i
 end do
 do i = 1, 19
  q%x = i
  a(i+1) = t(i*10, i)
  b(i) = a(i)%x
 end do
 print *, b(1:19)
 print *, a%x
end program
""",
    "a_record_that_is_read_by_component_before_it_is_assigned": """
program p
 type t
  integer :: x, y
 end type
 type(t) :: q, a(20)
 integer :: b(20), i
 q = t(5, 6)
 do i = 1, 20
  a(i) = t(i, -i)
 end do
 do i = 1, 20
  b(i) = q%x
  q = a(i)
 end do
 print *, b
end program
""",
    "a_value_dummy_that_is_assigned_leaves_the_argument": """
module m
contains
 pure integer function f(x)
  integer, value :: x
  x = 3
  f = x
 end function
end module
program p
 use m
 integer :: a(10), b(10), t, i
 t = 100
 do i = 1, 10
  a(i) = f(t)
  b(i) = t
  t = i
 end do
 print *, a, b
end program
""",
    "a_dummy_changed_by_an_inner_call": """
module m
contains
 pure subroutine two(x)
  integer, intent(inout) :: x
  x = x + 1
 end subroutine
 pure subroutine one(a, x, i)
  integer, intent(inout) :: a(20), x
  integer, intent(in) :: i
  x = 2*i
  call two(x)
  call two(x)
  a(x - 2*i) = a(x - 2*i) + i
 end subroutine
end module
program p
 use m
 integer :: a(20), t, i
 a = 0
 do i = 1, 9
  call one(a, t, i)
 end do
 print *, a
end program
""",
    "a_scalar_changed_under_its_other_name": """
program p
 integer :: a(20), t, u, i
 equivalence (t, u)
 a = 0
 do i = 1, 9
  t = i
  u = 5
  a(t) = a(t) + i
 end do
 print *, a
end program
""",
    "an_array_of_pointers_with_one_target": """
program p
 type t
  integer, pointer :: v(:)
 end type
 type(t) :: x(4)
 integer, target :: s(10)
 integer :: i, j
 s = 0
 do i = 1, 4
  x(i)%v => s
 end do
 do i = 1, 4
  do j = 1, 10
   x(i)%v(j) = x(i)%v(j)*3 + i
  end do
 end do
 print *, s
end program
""",
    "a_saved_variable_of_a_block": """
program p
 integer :: a(10), i
 do i = 1, 10
  block
   integer, save :: k = 0
   k = k + 1
   a(i) = k*k
  end block
 end do
 print *, a
end program
""",
    "an_initialised_variable_of_a_block_is_saved": """
program p
 integer :: a(10), i
 do i = 1, 10
  block
   integer :: k = 3
   a(i) = k
   k = k + i
  end block
 end do
 print *, a
end program
""",
    "a_last_value_that_the_last_iteration_does_not_write": """
program p
 integer :: a(10), b(10), i, k, t
 a = [(k*k, k = 1, 10)]
 t = -1
 do i = 1, 10
  do k = i, 7
   t = a(k)
   b(k) = 0
  end do
  b(i) = 5
 end do
 print *, t
end program
""",
    "a_last_value_of_an_inner_loop_without_iterations": """
program p
 integer :: a(10), b(10,10), i, k, t
 a = [(k*k, k = 1, 10)]
 t = -1
 do i = 1, 10
  do k = i, 7
   t = a(k) + i
   b(k, i) = 0
  end do
 end do
 print *, t, i
end program
""",
    "a_substring_is_not_the_whole": """
program p
 character(2) :: c, d(10), a(10)
 integer :: i
 c = 'xy'
 a = 'zw'; a(3) = 'kl'
 do i = 1, 10
  d(i)(1:1) = c(2:2)
  d(i)(2:2) = c(1:1)
  c = a(i)
 end do
 print *, d
 do i = 1, 10
  c(1:1) = a(i)(2:2)
  d(i) = c
 end do
 print *, d, c
end program
""",
    "sequence_association_from_an_element_on": """
module m
contains
 pure subroutine add(n, x)
  integer, intent(in) :: n
  integer, intent(inout) :: x(n)
  integer :: k
  do k = 1, n
   x(k) = x(k)*2 + k
  end do
 end subroutine
end module
program p
 use m
 integer :: a(20), i
 a = 1
 do i = 1, 10
  call add(4, a(i))
 end do
 print *, a
end program
""",
    "an_explicit_shape_smaller_than_the_argument": """
module m
contains
 pure subroutine set(x, n, v)
  integer, intent(in) :: n, v
  integer, intent(inout) :: x(n)
  x = v
 end subroutine
end module
program p
 use m
 integer :: a(20), b(20), i
 a = [(i, i=1,20)]
 do i = 1, 10
  call set(a(2:9), 3, i)
  b(i) = a(8) + a(3)
 end do
 print *, a, b(1:10)
end program
""",
    "extrema_with_nan_and_signed_zero": """
program p
 real :: a(10), s
 integer :: i
 a = [(real(i), i=1,10)]
 a(5) = sqrt(-a(1))
 a(3) = -0.0
 s = sqrt(-a(2))
 do i = 1, 10
  if (a(i) > s) s = a(i)
 end do
 print *, s
 s = -0.0
 a = 0.0
 do i = 1, 10
  s = max(s, a(i))
 end do
 print *, s
end program
""",
    "a_reduction_variable_read_by_the_function_it_adds": """
module m
 integer :: s = 0
contains
 pure integer function f(i)
  integer, intent(in) :: i
  f = s + i
 end function
end module
program p
 use m
 integer :: i
 do i = 1, 10
  s = s + f(i)
 end do
 print *, s
end program
""",
    "a_carried_scalar_read_by_a_host_associated_function": """
program p
 integer :: a(10), n, i, t
 n = 3; t = 1
 do i = 1, 10
  a(i) = g(i) + t
  t = i
 end do
 print *, a
contains
 pure integer function g(k)
  integer, intent(in) :: k
  g = t*k
 end function
end program
""",
    "a_dummy_not_assigned_on_every_path": """
module m
contains
 pure subroutine put(x, i)
  integer, intent(out) :: x
  integer, intent(in) :: i
  if (i > 5) x = i
 end subroutine
 pure subroutine put2(x, i)
  integer, intent(inout) :: x
  integer, intent(in) :: i
  if (i > 5) return
  x = i
 end subroutine
end module
program p
 use m
 integer :: a(10), i, t
 t = 77
 do i = 1, 10
  call put2(t, i)
  a(i) = t
 end do
 print *, a, t
end program
""",
    "an_allocatable_assigned_whole": """
program p
 integer, allocatable :: a(:), b(:)
 integer :: i
 allocate(b(5)); b = 1
 do i = 1, 5
  a = b
  b(i) = a(i) + size(a)
 end do
 print *, b, lbound(a), ubound(a)
end program
""",
    "values_of_do_variables_after_loops_with_strides": """
program p
 integer :: a(20), i, j, t
 a = 0
 do i = 20, 2, -3
  a(i) = i
  t = i
 end do
 print *, a, i, t
 do i = 5, 1
  a(i) = 0
 end do
 print *, i
 do i = 1, 10, 3
  do j = 10, 1, -4
   a(i) = a(i) + j
  end do
 end do
 print *, a, i, j
end program
""",
    "exit_of_a_block_before_the_write": """
program p
 integer :: a(10), i, t
 t = 5
 do i = 1, 10
  blk: block
   if (mod(i, 3) == 0) exit blk
   t = i
  end block blk
  a(i) = t
 end do
 print *, a
 do i = 1, 10
  if (mod(i, 3) == 0) cycle
  t = i
  a(i) = t
 end do
 print *, a, t
end program
""",
    "select_case_without_a_default": """
program p
 integer :: a(10), i, t
 t = 5
 do i = 1, 10
  select case (mod(i,4))
  case (0:1)
   t = i
  case (2)
   t = -i
  end select
  a(i) = t
 end do
 print *, a
 do i = 1, 10
  select case (mod(i,4))
  case (0:1)
   t = i
  case default
   t = -i
  end select
  a(i) = t
 end do
 print *, a, t
end program
""",
    "do_variables_of_other_kinds": """
program p
 integer(1) :: i
 integer(8) :: k
 integer :: a(0:130), b(20)
 a = 0
 do i = 100, 126
  a(i) = i
 end do
 print *, i, a(120:126)
 do k = 2_8, 20_8, 3_8
  b(k) = int(k)
 end do
 print *, k, b(2)
 do i = 1, 120
  a(i) = 2*int(i)
 end do
 print *, a(120), i
end program
""",
    "a_bound_changed_inside_of_the_loop": """
program p
 integer :: a(20), i, n
 n = 5
 a = 0
 do i = 1, n
  n = n + 1
  a(i) = n
 end do
 print *, a, n, i
end program
""",
    "do_variables_of_a_module": """
module m
 integer :: k = 4
contains
 subroutine s(a, n)
  integer :: a(20), n, i
  do i = 1, n
   a(i) = k
   n = n
  end do
 end subroutine
end module
program p
 use m
 integer :: a(20), j
 a = 0; j = 6
 call s(a, j)
 print *, a
 do j = 1, 6
  do k = 1, 3
   a(j) = a(j) + k
  end do
 end do
 print *, a, k, j
end program
""",
    "a_pointer_component_and_a_pointer_on_one_target": """
program p
 type t
  integer, pointer :: v(:)
 end type
 type(t) :: x
 integer, target :: s(0:10)
 integer, pointer :: q(:)
 integer :: i
 s = [(i, i=0,10)]
 x%v => s(1:10)
 q => s(0:9)
 do i = 1, 10
  x%v(i) = q(i) + 1
 end do
 print *, s
 n = 3
 do i = 2, 10
  x%v(1) = i
  s(q(2)) = i*i
 end do
 print *, s
end program
""",
    "a_scalar_without_locality_in_do_concurrent": """
program p
 integer :: a(10), i, t
 t = 9
 do concurrent (i = 1:10)
  t = i*i
  a(i) = t
 end do
 print *, a
end program
""",
    "two_elements_of_one_array_as_arguments": """
module m
contains
 pure subroutine cp(x, y, n)
  integer, intent(in) :: n
  integer, intent(inout) :: x(n)
  integer, intent(in) :: y(n)
  integer :: k
  do k = 2, n
    x(k) = y(k) + 1
  end do
 end subroutine
 pure subroutine sh(x, y)
  integer, intent(inout) :: x
  integer, intent(in) :: y
  x = y + 1
 end subroutine
end module
program p
 use m
 integer :: a(11), i
 a = [(i*i,i=1,11)]
 do i = 2, 10
  call sh(a(i), a(i-1))
 end do
 print *, a
end program
""",
    "target_do_variable": """program p
 integer, target :: i
 integer, pointer :: q
 integer :: a(10)
 q => i
 do i = 1, 10
  a(i) = q*2
 end do
 print *, a
end program
""",
    "equivalent_do_variable": """program p
 integer :: i, k, a(10)
 equivalence (i, k)
 do i = 1, 10
  a(i) = k*2
 end do
 print *, a
end program
""",
    "module_do_variable_read_by_a_function": """module m
 integer :: k
contains
 pure integer function f(x)
  integer, intent(in) :: x
  f = x + k
 end function
end module
program p
 use m
 integer :: a(10)
 do k = 1, 10
  a(k) = f(2)
 end do
 print *, a
end program
""",
    "host_do_variable_read_by_a_function": """program p
 integer :: a(10), k
 do k = 1, 10
  a(k) = f(2)
 end do
 print *, a
contains
 pure integer function f(x)
  integer, intent(in) :: x
  f = x + k
 end function
end program
""",
    "private_scalar_read_by_a_function": """program p
 integer :: a(10), k, t
 do k = 1, 10
  t = 3*k
  a(k) = f(2)
 end do
 print *, a
contains
 pure integer function f(x)
  integer, intent(in) :: x
  f = x + t
 end function
end program
""",
    "private_scalar_written_by_a_subroutine": """module m
 integer :: t
end module
program p
 use m
 integer :: a(10), k
 do k = 1, 10
  t = 3*k
  call s(a(k))
 end do
 print *, a
contains
 pure subroutine s(x)
  integer, intent(out) :: x
  x = t + 1
 end subroutine
end program
""",
    "host_variable_of_the_name_of_an_index": """program p
 integer :: a(10), i, b(10)
 i = 77
 do concurrent (i = 1:10)
  if (i == 1) then
   a(i) = 5
  else
   a(i) = f(i)
  end if
 end do
 print *, a, i
contains
 pure integer function f(x)
  integer, intent(in) :: x
  f = x + i
 end function
end program
""",
    "producer_reads_the_consumers_index": """program p
 integer :: i, j, step
 real(8) :: q(0:12), f(0:12), w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]
 f = 0; w = 0
 j = 3
 do step = 1, 4
  do concurrent (i = 0:12)
   f(i) = q(i)*j
  end do
  do concurrent (j = 1:11)
   w(j) = w(j) + f(j) - f(j-1)
  end do
 end do
 print *, w, f
end program
""",
    "recursive_pair": """module m
 integer :: hits = 0
contains
 recursive subroutine a(n, x, y)
  integer, intent(in) :: n
  integer, intent(inout) :: x, y
  if (n == 0) return
  call b(n - 1, y, x)
 end subroutine
 recursive subroutine b(n, x, y)
  integer, intent(in) :: n
  integer, intent(inout) :: x, y
  x = x + n
  hits = hits + 1
  call a(n, x, y)
 end subroutine
end module
program p
 use m
 integer :: x, y, i
 x = 0; y = 0
 do i = 1, 3
  call b(i, x, y)
  call a(i, x, y)
 end do
 print *, x, y, hits
end program
""",
    "do_variable_as_inout_argument_elsewhere": """program p
 integer :: a(10), k, t
 t = 0
 do k = 1, 10
  block
   integer :: u
   u = k
   call bump(u)
   a(k) = u
   t = u
  end block
 end do
 print *, a, t, k
contains
 pure subroutine bump(x)
  integer, intent(inout) :: x
  x = x + 1
 end subroutine
end program
""",
    "last_value_under_inner_loop": """program p
 integer :: a(6,6), i, j, t, u
 u = -5
 t = -4
 do j = 1, 6
  do i = 1, 6
   t = i*j
   a(i, j) = t
   if (i == 3) u = t
  end do
 end do
 print *, a, t, u, i, j
end program
""",
    "allocatable_scalar": """program p
 integer, allocatable :: t
 integer :: a(10), i
 do i = 1, 10
  t = i*2
  a(i) = t
 end do
 print *, a, t
end program
""",
    "array_private": """program p
 integer :: t(3), a(10), i
 do i = 1, 10
  t = i
  t(2) = 3
  a(i) = sum(t)
 end do
 print *, a, t
end program
""",
    "logical_kinds": """program p
 logical(1) :: l(10)
 logical :: any_
 integer :: i
 any_ = .false.
 do i = 1, 10
  l(i) = mod(i, 3) == 0
  any_ = any_ .or. l(i)
 end do
 print *, l, any_
end program
""",
    "a_dummy_with_constant_bounds": """module m
contains
 pure subroutine fill(w, k)
  integer, intent(inout) :: w(4)
  integer, intent(in) :: k
  integer :: q
  do q = 1, 4
   w(q) = k*q
  end do
 end subroutine
end module
program p
 use m
 integer :: a(60), i
 a = [(i, i=1,60)]
 do i = 1, 5
  call fill(a(10*i:10*i+3), i)
 end do
 print *, a
 do i = 1, 1
  call fill(a, i)
 end do
 print *, a
 do concurrent (i = 1:1)
  call fill(a(7:10), i)
 end do
 print *, a
end program
""",
    "a_function_whose_dummy_starts_at_zero": """module m
contains
 pure integer function first(w)
  integer, intent(in) :: w(0:3)
  first = w(0) + w(3)
 end function
end module
program p
 use m
 integer :: a(60), b(10), i
 a = [(i, i=1,60)]
 do i = 1, 10
  b(i) = first(a(i:i+3))
 end do
 print *, b
end program
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_output_is_unchanged(name: str, same: Callable[..., object]) -> None:
    same(PROGRAMS[name].lstrip())


SEQUENTIAL = [
    "a_record_that_is_read_by_component_before_it_is_assigned", "a_value_dummy_that_is_assigned_leaves_the_argument",
    "an_initialised_variable_of_a_block_is_saved", "a_carried_scalar_read_by_a_host_associated_function",
]  # fmt: skip


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_the_last_loop_stays_in_order(name: str, same: Callable[..., object], status: Callable[..., list[str]]) -> None:
    assert status(same(PROGRAMS[name].lstrip()), "parallelize")[-1] == "refused"


def test_bounds_are_those_of_the_array_behind_a_dummy(same: Callable[..., object], status: Callable[..., list[str]]) -> None:
    assert "refused" not in status(same(PROGRAMS["a_dummy_with_constant_bounds"]), "bounds")
    assert "refused" not in status(same(PROGRAMS["a_function_whose_dummy_starts_at_zero"]), "bounds")


def test_a_dummy_of_one_element_may_be_an_old_assumed_size() -> None:
    from polystencil import explain

    text = """subroutine s(x, n)
  integer n, i, x(1)
  do i = 1, 10
    x(i) = i + n
  end do
end subroutine
"""
    assert [r.status for r in explain(text) if r.transform == "bounds"] == ["not-applicable"]
