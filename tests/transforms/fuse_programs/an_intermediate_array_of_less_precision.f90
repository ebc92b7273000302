program p
 integer :: step, i
 real(8) :: q(0:12)
 real(4) :: f(0:12)
 q = [(0.1d0*mod(i*i+3,11), i=0,12)]
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)/3 - q(i)
  end do
  do concurrent (i = 1:11)
   q(i) = q(i) + 0.125d0*(f(i) - f(i-1))
  end do
 end do
 print *, q, f
end program
