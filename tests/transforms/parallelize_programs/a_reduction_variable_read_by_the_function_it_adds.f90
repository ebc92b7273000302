module m
 integer :: s = 0
contains
 pure integer function f(i)
  integer, intent(in) :: i
  f = s + i
 end function
end module
program p
 use m
 integer :: i
 do i = 1, 10
  s = s + f(i)
 end do
 print *, s
end program
