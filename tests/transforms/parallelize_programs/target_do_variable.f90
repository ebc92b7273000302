program p
 integer, target :: i
 integer, pointer :: q
 integer :: a(10)
 q => i
 do i = 1, 10
  a(i) = q*2
 end do
 print *, a
end program
