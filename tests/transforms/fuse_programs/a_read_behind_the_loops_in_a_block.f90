program p
  implicit none
  real(8), allocatable :: q(:), f(:)
  real(8) :: total
  integer :: t, i
  allocate (q(12), f(12))
  do i = 1, 12
    q(i) = mod(i*i, 7)
    f(i) = 0
  end do
  total = 0
  do t = 1, 4
    block
      real(8) :: w
      w = 0.125d0*t
      do concurrent (i = 1:11)
        f(i) = q(i + 1) - q(i)
      end do
      do concurrent (i = 2:11)
        q(i) = q(i) + w*(f(i) - f(i - 1))
      end do
      total = total + q(3)*w
    end block
  end do
  print *, q, f, total
end program
