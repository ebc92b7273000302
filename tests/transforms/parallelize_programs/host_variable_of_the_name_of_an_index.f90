program p
 integer :: a(10), i, b(10)
 i = 77
 do concurrent (i = 1:10)
  if (i == 1) then
   a(i) = 5
  else
   a(i) = f(i)
  end if
 end do
 print *, a, i
contains
 pure integer function f(x)
  integer, intent(in) :: x
  f = x + i
 end function
end program
