program p
  implicit none
  type r
    real(8), allocatable :: q(:), f(:)
  end type
  type(r), allocatable :: s(:)
  integer :: t, i, m
  allocate (s(2))
  do m = 1, 2
    allocate (s(m)%q(12), s(m)%f(12))
    do i = 1, 12
      s(m)%q(i) = mod(i*i + m, 7)
      s(m)%f(i) = 0
    end do
  end do
  do t = 1, 4
    do m = 1, 2
      block
        integer :: at
        at = 3 - m
        do concurrent (i = 1:11)
          s(at)%f(i) = s(at)%q(i + 1) - s(at)%q(i)
        end do
        do concurrent (i = 2:11)
          s(at)%q(i) = s(at)%q(i) + 0.125d0*(s(at)%f(i) - s(at)%f(i - 1))
        end do
      end block
    end do
  end do
  print *, s(1)%q, s(1)%f, s(2)%q, s(2)%f
end program
