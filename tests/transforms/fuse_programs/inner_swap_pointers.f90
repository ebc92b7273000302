program p
 integer :: i, step
 real(8), target :: a(0:12), b(0:12)
 real(8), pointer :: q(:), z(:), t(:)
 real(8) :: f(0:12)
 a = [(0.25d0*mod(i*i+3,11), i=0,12)]
 b = a
 q(0:) => a
 z(0:) => b
 do step = 1, 5
  do concurrent (i = 0:11)
   f(i) = q(i+1) - q(i)
  end do
  do concurrent (i = 1:11)
   z(i) = q(i) + 0.5d0*(f(i) - f(i-1))
  end do
  t => q
  q => z
  z => t
 end do
 print *, a, b, f
end program
