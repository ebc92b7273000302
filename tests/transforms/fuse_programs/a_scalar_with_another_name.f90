program p
 integer :: step, i
 real(8) :: q(0:12), w(0:12), f(0:12), x, y
 equivalence (x, y)
 q = [(0.1d0*mod(i*i+3,11), i=0,12)]
 x = 1
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)*x - q(i)
  end do
  do i = 1, 11
   y = i
   w(i) = y
  end do
  do concurrent (i = 1:11)
   q(i) = q(i) + 0.125d0*(f(i) - f(i-1))
  end do
 end do
 print *, q, f
end program
