program p
 integer :: i, step, n
 real(8) :: q(0:12), f(0:12)
 q = [(0.25d0*mod(i*i+3,11), i=0,12)]
 f = 0
 n = 11
 do step = 1, 5
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:min(n,11))
   q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
  end do
  n = n - 1
 end do
 print *, q, f, n
end program
