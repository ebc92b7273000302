program p
 integer :: idx(0:12)
 integer :: i, k, step
 real(8) :: q(0:12), f(0:12), x, w(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]; f = -1; x = 2; k = 1; w = 0
 idx = [(mod(5*i,13), i=0,12)]
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(idx(i))
  end do
  do concurrent (i = 1:11)
   q(idx(i)) = q(idx(i)) + f(i)
  end do
 end do
 print *, q
 print *, f
 print *, x, k, w

end program
