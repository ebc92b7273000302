program p
 integer :: i, step
 type t
  real(8) :: x, y
 end type
 type(t) :: f(0:12)
 real(8) :: q(0:12), w(0:12)
 q = 2
 do step = 1, 4
  do concurrent (i = 0:12)
   f(i) = t(q(i), i)
  end do
  do concurrent (i = 1:11)
   w(i) = f(i)%x + f(i-1)%y
  end do
 end do
 print *, f, w(1:11)
end program
