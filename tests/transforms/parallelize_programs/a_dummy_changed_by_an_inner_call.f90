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
