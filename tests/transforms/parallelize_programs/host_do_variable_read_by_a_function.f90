program p
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
