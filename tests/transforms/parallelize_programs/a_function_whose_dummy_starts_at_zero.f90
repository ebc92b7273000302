module m
contains
 pure integer function first(w)
  integer, intent(in) :: w(0:3)
  first = w(0) + w(3)
 end function
end module
program p
 use m
 integer :: a(60), b(10), i
 a = [(i, i=1,60)]
 do i = 1, 10
  b(i) = first(a(i:i+3))
 end do
 print *, b
end program
