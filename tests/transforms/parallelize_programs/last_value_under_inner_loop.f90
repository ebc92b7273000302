program p
 integer :: a(6,6), i, j, t, u
 u = -5
 t = -4
 do j = 1, 6
  do i = 1, 6
   t = i*j
   a(i, j) = t
   if (i == 3) u = t
  end do
 end do
 print *, a, t, u, i, j
end program
