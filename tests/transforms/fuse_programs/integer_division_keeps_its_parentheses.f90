program p
 integer :: step, i
 integer :: q(0:12), f(0:12)
 q = [(mod(i*i+3,11), i=0,12)]
 do step = 1, 4
  do concurrent (i = 0:11)
   f(i) = q(i+1)*i/(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   q(i) = q(i) + f(i-1)/2 - f(i)*2
  end do
 end do
 print *, q, f
end program
