program p
 character(2) :: c, d(10), a(10)
 integer :: i
 c = 'xy'
 a = 'zw'; a(3) = 'kl'
 do i = 1, 10
  d(i)(1:1) = c(2:2)
  d(i)(2:2) = c(1:1)
  c = a(i)
 end do
 print *, d
 do i = 1, 10
  c(1:1) = a(i)(2:2)
  d(i) = c
 end do
 print *, d, c
end program
