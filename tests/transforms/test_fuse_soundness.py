"""Programs with which fuse might go wrong: none may print anything else afterwards.

Each one is the smallest form of a mistake that was made once, or that the rule in its name guards against.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

PROGRAMS = {
    "a_consumer_that_writes_a_section": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   q(i:i) = q(i:i) + 0.5d0*(f(i) - f(i-1))
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "a_consumer_that_writes_through_a_call": """module m
contains
 pure subroutine upd(a, b)
  real(8), intent(inout) :: a
  real(8), intent(in) :: b
  a = a + 0.5d0*b
 end subroutine
end module
program p
 use m
 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   call upd(q(i), f(i) - f(i-1))
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "a_consumer_that_changes_the_intermediate_array": """module m
contains
 pure subroutine upd(a, b)
  real(8), intent(inout) :: a
  real(8), intent(in) :: b
  a = a + 0.5d0*b
 end subroutine
end module
program p
 use m
 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   w(i) = f(i)
   call upd(f(i), 1d0)
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "an_inner_loop_variable_that_the_producer_reads": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)*k - q(i)
  end do
  do concurrent (i = 1:11)
   do k = 1, 3
    w(i) = w(i) + f(i) - f(i-1)
   end do
  end do
  k = 1
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "an_inner_loop_variable_in_the_producers_subscript": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i + k - 1) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   do k = 1, 3
    w(i) = w(i) + f(i) - f(i-1)
   end do
  end do
  k = 1
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "a_component_that_the_consumer_assigns": """program p
 type t
  real(8) :: x
 end type
 type(t) :: s
 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0
 s%x = 1
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)*s%x - q(i)
  end do
  do concurrent (i = 1:11)
   s%x = 3 + i
   w(i) = w(i) + f(i)*s%x - f(i-1)
  end do
  s%x = 1
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "a_character_that_is_cut": """program p
 integer :: i, step
 character(2) :: f(0:12)
 character(3) :: q(0:12), w(0:12)
 q = 'abc'
 do step = 1, 4
  do concurrent (i = 0:12)
   f(i) = q(i)
  end do
  do concurrent (i = 1:11)
   w(i) = f(i)//'z'
  end do
 end do
 print *, f, w(1:11)
end program
""",
    "records_as_intermediate_elements": """program p
 integer :: i, step
 type t
  real(8) :: x, y
 end type
 type(t) :: f(0:12)
 real(8) :: q(0:12), w(0:12)
 q = 2
 do step = 1, 4
  do concurrent (i = 0:12)
   f(i) = t(q(i), i)
  end do
  do concurrent (i = 1:11)
   w(i) = f(i)%x + f(i-1)%y
  end do
 end do
 print *, f, w(1:11)
end program
""",
    "a_shift_by_a_private_scalar": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   block
    integer :: t
    t = mod(i, 2)*0
    q(i + t) = q(i + t) + 0.5d0*(f(i) - f(i-1))
   end block
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "a_permutation_by_a_private_scalar": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:10)
   block
    integer :: t
    t = merge(1, -1, mod(i, 2) == 1)
    q(i + t) = q(i + t) + 0.5d0*(f(i) - f(i-1))
   end block
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "a_local_variable_that_the_producer_reads_outside": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)*x - q(i)
  end do
  do concurrent (i = 1:11) local(x)
   x = i
   w(i) = w(i) + x*f(i)
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "indices_of_two_kinds": """program p
 integer :: step
 integer(8) :: i
 integer :: j
 real(8) :: q(0:12), f(0:12)
 q = [(0.25d0*mod(j*j+3,11), j=0,12)]
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)*i - q(i)
  end do
  do concurrent (j = 1:11)
   q(j) = q(j) + 0.125d0*(f(j) - f(j-1))
  end do
 end do
 print *, q, f
end program
""",
    "an_intermediate_array_of_less_precision": """program p
 integer :: step, i
 real(8) :: q(0:12)
 real(4) :: f(0:12)
 q = [(0.1d0*mod(i*i+3,11), i=0,12)]
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)/3 - q(i)
  end do
  do concurrent (i = 1:11)
   q(i) = q(i) + 0.125d0*(f(i) - f(i-1))
  end do
 end do
 print *, q, f
end program
""",
    "integer_division_keeps_its_parentheses": """program p
 integer :: step, i
 integer :: q(0:12), f(0:12)
 q = [(mod(i*i+3,11), i=0,12)]
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)*i/(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   q(i) = q(i) + f(i-1)/2 - f(i)*2
  end do
 end do
 print *, q, f
end program
""",
    "a_where_statement_in_the_consumer": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   where (w(i:i) < 100d0) q(i:i) = q(i:i) + f(i)
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "a_sum_over_a_section_of_the_intermediate": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   q(i) = sum(f(i-1:i)) + q(i)
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "elements_chosen_by_an_index_array": """program p
 integer :: idx(0:12)
 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0
 idx = [(mod(5*i,13), i=0,12)]
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(idx(i))
  end do
  do concurrent (i = 1:11)
   q(idx(i)) = q(idx(i)) + f(i)
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "a_read_after_the_write": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   q(i) = q(i) + f(i)
   w(i) = q(i)
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "a_select_case_without_a_default": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   select case (i)
   case (1:3)
    q(i) = q(i) + f(i)
   case (4:)
    q(i) = q(i) - f(i-1)
   end select
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "an_iteration_cut_short_by_cycle": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   if (i == 5) cycle
   q(i) = q(i) + f(i)
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "an_iteration_cut_short_by_exit": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   b: block
   if (i == 5) exit b
   q(i) = q(i) + f(i)
   end block b
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "a_host_scalar_changed_by_a_call": """module m
contains
 pure subroutine grow(a)
  integer, intent(inout) :: a
  a = a + 1
 end subroutine
end module
program p
 use m
 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   q(i) = q(i) + 0.5d0*f(i)
  end do
  if (step == 2) call grow(k)
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "a_pointer_to_the_array_that_the_producer_reads": """program p
 integer :: step, i
 real(8), target :: q(0:12)
 real(8), pointer :: v(:)
 real(8) :: f(0:12)
 q = [(0.1d0*mod(i*i+3,11), i=0,12)]
 v(0:) => q
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)/3 - q(i)
  end do
  do concurrent (i = 1:11)
   v(i) = v(i) + 0.125d0*(f(i) - f(i-1))
  end do
 end do
 print *, q, f
end program
""",
    "an_equivalent_array": """program p
 integer :: step, i
 real(8) :: q(0:12), v(0:12)
 equivalence (q, v)
 real(8) :: f(0:12)
 q = [(0.1d0*mod(i*i+3,11), i=0,12)]
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)/3 - q(i)
  end do
  do concurrent (i = 1:11)
   v(i) = v(i) + 0.125d0*(f(i) - f(i-1))
  end do
 end do
 print *, q, f
end program
""",
    "a_pointer_component_to_the_array": """program p
 type t
  real(8), pointer :: v(:)
 end type
 integer :: step, i
 real(8), target :: q(0:12)
 type(t) :: s
 real(8) :: f(0:12)
 q = [(0.1d0*mod(i*i+3,11), i=0,12)]
 s%v => q(1:)
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)/3 - q(i)
  end do
  do concurrent (i = 1:11)
   s%v(i) = s%v(i) + 0.125d0*(f(i) - f(i-1))
  end do
 end do
 print *, q, f
end program
""",
    "a_scalar_with_another_name": """program p
 integer :: step, i
 real(8) :: q(0:12), w(0:12), f(0:12), x, y
 equivalence (x, y)
 q = [(0.1d0*mod(i*i+3,11), i=0,12)]
 x = 1
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)*x - q(i)
  end do
  do i = 1, 11
   y = i
   w(i) = y
  end do
  do concurrent (i = 1:11)
   q(i) = q(i) + 0.125d0*(f(i) - f(i-1))
  end do
 end do
 print *, q, f
end program
""",
    "a_record_copied_inside_of_the_loop": """program p
 type t
  real(8) :: q(0:12), f(0:12)
 end type
 type(t) :: s, keep
 integer :: step, i
 s%q = [(0.1d0*mod(i*i+3,11), i=0,12)]
 s%f = 0
 keep = s
 do step = 1, 4
  do concurrent (i = 0:11)
   s%f(i) = s%q(i+1)/3 - s%q(i)
  end do
  do concurrent (i = 1:11)
   s%q(i) = s%q(i) + 0.125d0*(s%f(i) - s%f(i-1))
  end do
  if (step == 2) then
    keep = s
  end if
 end do
 print *, s, keep
end program
""",
    "a_record_copied_between_the_loops": """program p
 type t
  real(8) :: q(0:12), f(0:12)
 end type
 type(t) :: s, keep
 integer :: step, i, o
 s%q = [(0.1d0*mod(i*i+3,11), i=0,12)]
 s%f = 0
 keep = s
 do o = 1, 3
 do step = 1, 4
  do concurrent (i = 0:11)
   s%f(i) = s%q(i+1)/3 - s%q(i)
  end do
  do concurrent (i = 1:11)
   s%q(i) = s%q(i) + 0.125d0*(s%f(i) - s%f(i-1))
  end do
 end do
 keep = s
 if (o == 2) s = keep
 end do
 print *, s, keep
end program
""",
    "a_private_scalar_in_the_producers_subscript": """program p

 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0

 do step = 1, 4
  do concurrent (i = 1:10)
   block
    integer :: t
    t = merge(1, -1, mod(i, 2) == 1)
    f(i + t) = q(i)
   end block
  end do
  do concurrent (i = 1:10)
   w(i) = w(i) + f(i)
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
""",
    "settled_outer_reads": """program p
 call s(12)
contains
subroutine s(n)
 integer, intent(in) :: n
 integer :: i, step, o
 real(8) :: q(0:n), f(0:n), w(0:n)
 q = [(0.25d0*mod(i*i+3,11), i=0,n)]
 w = 0
 do o = 1, 3
  if (o == 2) q(3) = 5
  do step = 1, o
   do concurrent (i = 0:n-1)
    f(i) = q(i+1) - q(i)
   end do
   do concurrent (i = 1:n-1)
    q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
   end do
  end do
  w = w + q
 end do
 print *, w, q
end subroutine
end program
""",
    "outer_call_reads_q": """program p
 call s(12)
contains
subroutine s(n)
 integer, intent(in) :: n
 integer :: i, step, o
 real(8) :: q(0:n), f(0:n), w(0:n)
 q = [(0.25d0*mod(i*i+3,11), i=0,n)]
 w = 0
 do o = 1, 3
  if (o == 2) q(3) = 5
  do step = 1, o
   do concurrent (i = 0:n-1)
    f(i) = q(i+1) - q(i)
   end do
   do concurrent (i = 1:n-1)
    q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
   end do
  end do
  call add(w, q)
 end do
 print *, w, q
end subroutine
pure subroutine add(a, b)
 real(8), intent(inout) :: a(:)
 real(8), intent(inout) :: b(:)
 a = a + b
 b(2) = b(2)*0.5d0
end subroutine
end program
""",
    "outer_move_alloc": """program p
 call s(12)
contains
subroutine s(n)
 integer, intent(in) :: n
 integer :: i, step, o
 real(8), allocatable :: q(:), z(:)
 real(8) :: f(0:n), w(0:n)
 allocate (q(0:n), z(0:n))
 q = [(0.25d0*mod(i*i+3,11), i=0,n)]
 w = 0; z = 1
 do o = 1, 3
  do step = 1, 2
   do concurrent (i = 0:n-1)
    f(i) = q(i+1) - q(i)
   end do
   do concurrent (i = 1:n-1)
    q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
   end do
  end do
  call move_alloc(q, z)
  allocate (q(0:n))
  q = z*0.5d0
 end do
 print *, w, q
end subroutine
end program
""",
    "inner_swap_pointers": """program p
 integer :: i, step
 real(8), target :: a(0:12), b(0:12)
 real(8), pointer :: q(:), z(:), t(:)
 real(8) :: f(0:12)
 a = [(0.25d0*mod(i*i+3,11), i=0,12)]
 b = a
 q(0:) => a
 z(0:) => b
 do step = 1, 5
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   z(i) = q(i) + 0.5d0*(f(i) - f(i-1))
  end do
  t => q
  q => z
  z => t
 end do
 print *, a, b, f
end program
""",
    "conditional_copy_back": """program p
 integer :: i, step, n
 real(8) :: q(0:12), f(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]
 f = 0
 n = 11
 do step = 1, 5
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:min(n,11))
   q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
  end do
  n = n - 1
 end do
 print *, q, f, n
end program
""",
    "bound_array_element": """program p
 integer :: i, step, n(2)
 real(8) :: q(0:12), f(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]
 f = 0
 n = 11
 do step = 1, 5
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:min(n(1),11))
   q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
  end do
  n(1) = n(1) - 1
 end do
 print *, q, f, n
end program
""",
    "bound_component": """program p
  type t
  integer :: k
 end type
 type(t) :: n
 integer :: i, step
 real(8) :: q(0:12), f(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]
 f = 0
 n%k = 11
 do step = 1, 5
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:min(n%k,11))
   q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
  end do
  n%k = n%k - 1
 end do
 print *, q, f, n
end program
""",
    "while_loop_around": """program p
 integer :: i, step
 real(8) :: q(0:12), f(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]
 f = 0
 step = 0
 do while (step < 4)
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
  end do
  step = step + 1
 end do
 print *, q, f
end program
""",
    "print_in_between_outer": """program p
 call s(12)
contains
subroutine s(n)
 integer, intent(in) :: n
 integer :: i, step, o
 real(8) :: q(0:n), f(0:n), w(0:n)
 q = [(0.25d0*mod(i*i+3,11), i=0,n)]
 w = 0
 do o = 1, 3
  if (o == 2) q(3) = 5
  do step = 1, o
   do concurrent (i = 0:n-1)
    f(i) = q(i+1) - q(i)
   end do
   do concurrent (i = 1:n-1)
    q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
   end do
  end do
  print *, q
  w = w + 1
 end do
 print *, w, q
end subroutine
end program
""",
    "function_of_q_in_outer_bound": """program p
 call s(12)
contains
subroutine s(n)
 integer, intent(in) :: n
 integer :: i, step, o
 real(8) :: q(0:n), f(0:n), w(0:n)
 q = [(0.25d0*mod(i*i+3,11), i=0,n)]
 w = 0
 do o = 1, 3
  if (o == 2) q(3) = 5
  do step = 1, int(q(3)) - 1
   do concurrent (i = 0:n-1)
    f(i) = q(i+1) - q(i)
   end do
   do concurrent (i = 1:n-1)
    q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
   end do
  end do
  w = w + q
 end do
 print *, w, q
end subroutine
end program
""",
    "time_loop_variable_kind": """program p
 call s(12)
contains
subroutine s(n)
 integer, intent(in) :: n
 integer :: i
 integer(8) :: step
 integer(1) :: o
 real(8) :: q(0:n), f(0:n), w(0:n)
 q = [(0.25d0*mod(i*i+3,11), i=0,n)]
 w = 0
 do o = 1, 3
  if (o == 2) q(3) = 5
  do step = 1, o
   do concurrent (i = 0:n-1)
    f(i) = q(i+1) - q(i)
   end do
   do concurrent (i = 1:n-1)
    q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
   end do
  end do
  w = w + q
 end do
 print *, w, q
end subroutine
end program
""",
}
TRANSFORMS = (("fuse",), ("fuse", "swap"), "all")


@pytest.mark.parametrize("transforms", TRANSFORMS, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_output_is_unchanged(name: str, transforms: tuple[str, ...], same: Callable[..., object]) -> None:
    same(PROGRAMS[name], transforms)


REFUSED = [n for n in PROGRAMS if "consumer_that" in n or "alias" in n or "private_scalar" in n or "cut_short" in n]


@pytest.mark.parametrize("name", REFUSED)
def test_these_are_not_fused(name: str, same: Callable[..., object], status: Callable[..., list[str]]) -> None:
    assert "applied" not in status(same(PROGRAMS[name], ("fuse",)), "fuse")
