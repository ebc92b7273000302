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
