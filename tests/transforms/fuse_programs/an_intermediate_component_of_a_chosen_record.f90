! The intermediate array belongs to the record that an outer loop chooses: its last values stand in every record.
program p
 type t
  real(8), allocatable :: f(:)
 end type
 type u
 type(t) :: tr(3)
 end type
 type(u) :: z
 integer :: i, m, k
 real(8) :: q(12)
 q = [(0.25d0*mod(i*i+3,11), i=1,12)]
 do m = 1, 3
  allocate(z%tr(m)%f(12)); z%tr(m)%f = 0
 end do
 do k = 1, 2
 do m = 1, 3
  do concurrent (i = 1:12)
   z%tr(m)%f(i) = q(i) + m
  end do
  do concurrent (i = 1:12)
   q(i) = q(i) + z%tr(m)%f(i)
  end do
 end do
 end do
 print *, q, z%tr(1)%f, z%tr(2)%f, z%tr(3)%f
end program
