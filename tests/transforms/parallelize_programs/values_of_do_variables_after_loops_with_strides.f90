program p
 integer :: a(20), i, j, t
 a = 0
 do i = 20, 2, -3
  a(i) = i
  t = i
 end do
 print *, a, i, t
 do i = 5, 1
  a(i) = 0
 end do
 print *, i
 do i = 1, 10, 3
  do j = 10, 1, -4
   a(i) = a(i) + j
  end do
 end do
 print *, a, i, j
end program
