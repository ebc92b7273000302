module m
  implicit none
  type r
    real(8), allocatable :: q(:), f(:), g(:)
  end type
contains
  pure subroutine second(x, y)
    real(8), intent(inout) :: x(:)
    real(8), intent(in) :: y(:)
    x(2) = x(2) + y(3)
  end subroutine
end module
program p
  use m
  implicit none
  type(r), allocatable :: s(:)
  integer :: t, i, k
  k = 1
  allocate (s(2))
  allocate (s(k)%q(12), s(k)%f(12), s(k)%g(12))
  do i = 1, 12
    s(k)%q(i) = mod(i*i, 7)
    s(k)%f(i) = 0
    s(k)%g(i) = 0
  end do
  do t = 1, 3
    call second(s(k)%g, s(k)%q)
    do concurrent (i = 1:11)
      s(k)%f(i) = s(k)%q(i + 1) - s(k)%q(i)
    end do
    do concurrent (i = 2:11)
      s(k)%q(i) = s(k)%q(i) + 0.1d0*(s(k)%f(i) - s(k)%f(i - 1))
    end do
  end do
  print *, s(k)%q, s(k)%f, s(k)%g
end program
