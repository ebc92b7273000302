program p
 integer :: i, step
 character(2) :: f(0:12)
 character(3) :: q(0:12), w(0:12)
 q = 'abc'
 do step = 1, 4
  do concurrent (i = 0:12)
   f(i) = q(i)
  end do
  do concurrent (i = 1:11)
   w(i) = f(i)//'z'
  end do
 end do
 print *, f, w(1:11)
end program
