module m
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
