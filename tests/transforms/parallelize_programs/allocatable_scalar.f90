program p
 integer, allocatable :: t
 integer :: a(10), i
 do i = 1, 10
  t = i*2
  a(i) = t
 end do
 print *, a, t
end program
