program p
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
