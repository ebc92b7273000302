program p
  implicit none
  type r
    real(8), allocatable :: q(:), f(:)
  end type
  type(r) :: s(2)
  integer :: t, stage, i, k
  k = 1
  allocate (s(k)%q(12), s(k)%f(12))
  do i = 1, 12
    s(k)%q(i) = mod(i*i, 7)
    s(k)%f(i) = 0
  end do
  do t = 1, 3
      do stage = 1, 3
        do concurrent (i = 1:11)
          s(k)%f(i) = s(k)%q(i + 1) - s(k)%q(i)
        end do
        do concurrent (i = 2:11)
          s(k)%q(i) = s(k)%q(i) + 0.1d0*(s(k)%f(i) - s(k)%f(i - 1))
        end do
      end do
    s(k)%q(1) = sum(s(k)%q)*0.1
  end do
  print *, s(k)%q, s(k)%f
end program
