program p
  implicit none
  real(8), allocatable :: q(:), f(:)
  integer :: t, stage, i
  allocate (q(12), f(12))
  do i = 1, 12
    q(i) = mod(i*i, 7)
    f(i) = 0
  end do
  do t = 1, 3
    block
      integer :: k
      k = t
      do stage = 1, 3
        do concurrent (i = 1:11)
          f(i) = q(i + 1) - q(i)
        end do
        do concurrent (i = 2:11)
          q(i) = q(i) + 0.1d0*(f(i) - f(i - 1))
        end do
      end do
      if (k == 2) print *, k
    end block
  end do
  print *, q, f
end program
