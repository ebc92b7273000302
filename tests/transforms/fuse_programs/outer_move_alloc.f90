program p
 call s(12)
contains
subroutine s(n)
 integer, intent(in) :: n
 integer :: i, step, o
 real(8), allocatable :: q(:), z(:)
 real(8) :: f(0:n), w(0:n)
 allocate (q(0:n), z(0:n))
 q = [(0.25d0*mod(i*i+3,11), i=0,n)]
 w = 0; z = 1
 do o = 1, 3
  do step = 1, 2
   do concurrent (i = 0:n-1)
    f(i) = q(i+1) - q(i)
   end do
   do concurrent (i = 1:n-1)
    q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
   end do
  end do
  call move_alloc(q, z)
  allocate (q(0:n))
  q = z*0.5d0
 end do
 print *, w, q
end subroutine
end program
