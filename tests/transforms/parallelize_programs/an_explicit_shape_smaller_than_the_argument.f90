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
