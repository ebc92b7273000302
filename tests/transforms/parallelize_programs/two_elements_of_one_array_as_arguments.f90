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
