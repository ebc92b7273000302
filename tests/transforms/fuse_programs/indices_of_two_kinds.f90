program p
 integer :: step
 integer(8) :: i
 integer :: j
 real(8) :: q(0:12), f(0:12)
 q = [(0.25d0*mod(j*j+3,11), j=0,12)]
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)*i - q(i)
  end do
  do concurrent (j = 1:11)
   q(j) = q(j) + 0.125d0*(f(j) - f(j-1))
  end do
 end do
 print *, q, f
end program
