program p
 integer(1) :: i
 integer(8) :: k
 integer :: a(0:130), b(20)
 a = 0
 do i = 100, 126
  a(i) = i
 end do
 print *, i, a(120:126)
 do k = 2_8, 20_8, 3_8
  b(k) = int(k)
 end do
 print *, k, b(2)
 do i = 1, 120
  a(i) = 2*int(i)
 end do
 print *, a(120), i
end program
