program p
 real :: a(10), s
 integer :: i
 a = [(real(i), i=1,10)]
 a(5) = sqrt(-a(1))
 a(3) = -0.0
 s = sqrt(-a(2))
 do i = 1, 10
  if (a(i) > s) s = a(i)
 end do
 print *, s
 s = -0.0
 a = 0.0
 do i = 1, 10
  s = max(s, a(i))
 end do
 print *, s
end program
