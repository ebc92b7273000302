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
