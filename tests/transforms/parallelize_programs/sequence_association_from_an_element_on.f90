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
