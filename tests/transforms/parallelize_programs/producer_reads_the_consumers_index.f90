program p
 integer :: i, j, step
 real(8) :: q(0:12), f(0:12), w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]
 f = 0; w = 0
 j = 3
 do step = 1, 4
  do concurrent (i = 0:12)
   f(i) = q(i)*j
  end do
  do concurrent (j = 1:11)
   w(j) = w(j) + f(j) - f(j-1)
  end do
 end do
 print *, w, f
end program
