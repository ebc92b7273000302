! The renamed array belongs to the record that a loop chooses; the records have different bounds.
program p
 type t
  real(8), allocatable :: q(:)
 end type
 type(t) :: s(3)
 integer :: i, m, k
 real(8) :: f(12)
 f = 0
 do m = 1, 3
  allocate(s(m)%q(12+m)); s(m)%q =  [(0.25d0*mod(i*i+3,11), i=1,12+m)]
 end do
 do k = 1, 2
 do m = 1, 3
  do concurrent (i = 1:12)
   f(i) = s(m)%q(i) + s(m)%q(i+1) + m
  end do
  do concurrent (i = 1:12)
   s(m)%q(i) = s(m)%q(i) + f(i)
  end do
 end do
 end do
 print *, f, s(1)%q, s(2)%q, s(3)%q
end program
