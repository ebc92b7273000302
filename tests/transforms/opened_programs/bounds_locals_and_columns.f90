module k
  implicit none
  integer :: calls = 0
contains
  subroutine flux(q, f, lo, hi)
    integer, intent(in) :: lo, hi
    real(8), intent(in) :: q(lo:hi)
    real(8), intent(inout) :: f(lo:hi)
    integer :: i
    do i = lo, hi - 1
      f(i) = q(i + 1) - q(i)
    end do
  end subroutine
  subroutine update(q, f, n)
    integer, intent(inout) :: n
    real(8), intent(inout) :: q(n)
    real(8), intent(in) :: f(n)
    integer :: i
    do i = 2, n - 1
      q(i) = q(i) + 0.125d0*(f(i) - f(i - 1))
    end do
  end subroutine
  subroutine local_work(q, f, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: q(n), f(n)
    real(8) :: w(0:n - 1)
    integer :: i
    do i = 0, n - 1
      w(i) = q(i + 1)*0.5d0
    end do
    do i = 1, n - 1
      f(i) = w(i) - w(i - 1)
    end do
  end subroutine
end module
program p
  use k
  implicit none
  integer :: t, i, n, m
  real(8), allocatable :: q(:), f(:), a(:, :, :)
  n = 11
  allocate (q(-2:8), f(-2:8), a(n, 2, 3))
  a = 0.5d0
  do i = -2, 8
    q(i) = mod(i*i + 3, 7)
    f(i) = 0
  end do
  do t = 1, 4
    call flux(q, f, -2, 8)
    call update(q, f, n)
  end do
  do t = 1, 4
    call local_work(q, f, n)
    call update(q, f, n)
  end do
  m = 2
  do t = 1, 4
    do m = 1, 2
      call flux(a(:, m, 1), a(:, m, 3), 1, n)
      call update(a(:, m, 1), a(:, m, 3), n)
    end do
  end do
  do t = 1, 3
    do m = 1, 2
      call flux(q, f, m, m + 10)
      call update(q, f, n)
    end do
  end do
  print *, q, f, a, m
end program
