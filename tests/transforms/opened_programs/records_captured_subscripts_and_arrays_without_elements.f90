module k
  implicit none
  type grid
    integer :: n = 11, lo = 2
    real(8) :: w(3) = [0.5d0, 0.25d0, 0.125d0]
  end type
  type field
    type(grid) :: g
    real(8) :: q(11), f(11)
  end type
contains
  subroutine flux(q, f, n, m)
    integer, intent(in) :: n
    integer, intent(inout) :: m
    real(8), intent(in) :: q(:)
    real(8), intent(inout) :: f(0:)
    integer :: i
    m = 3 - m
    do i = 1, size(f) - 1
      f(i - 1) = q(i + 1)*m - q(i)
    end do
  end subroutine
  subroutine update(q, f, g)
    type(grid), intent(in) :: g
    real(8), intent(inout) :: q(g%n)
    real(8), intent(in) :: f(g%n)
    integer :: i
    do i = g%lo, g%n - 1
      q(i) = q(i) + g%w(g%lo)*(f(i) - f(i - 1))
    end do
  end subroutine
  subroutine flux2(x, n)
    type(field), intent(inout) :: x(:)
    integer, value :: n
    integer :: i
    n = n - 1
    do i = 1, n
      x(2)%f(i) = x(2)%q(i + 1) - x(2)%q(i)
    end do
  end subroutine
  subroutine update2(x)
    type(field), intent(inout) :: x
    integer :: i
    do i = x%g%lo, x%g%n - 1
      x%q(i) = x%q(i) + x%g%w(3)*(x%f(i) - x%f(i - 1))
    end do
  end subroutine
  subroutine zero(q, f, k, total)
    real(8), intent(in) :: q(3:)
    real(8), intent(inout) :: f(0:)
    integer, intent(in) :: k
    integer, intent(inout) :: total
    integer :: i
    total = total*3 + lbound(q, 1) + 2*ubound(q, 1) + 5*size(q) + lbound(f, 1) + 7*ubound(f, 1)
    do i = 0, 10
      if (size(f) > 0) then
        if (i <= ubound(f, 1)) f(i) = k
      end if
    end do
  end subroutine
end module
program p
  use k
  implicit none
  integer :: t, i, n, m, total
  real(8), allocatable :: q(:), f(:), a(:, :)
  type(field) :: x(3)
  type(grid) :: g
  n = 11
  allocate (q(11), f(11), a(11, 2))
  do i = 1, 11
    a(i, :) = mod(i*i + 3, 7)
    q(i) = mod(i*i + 3, 7)
    f(i) = 0
    x%q(i) = q(i)
    x%f(i) = 0
  end do
  m = 1
  do t = 1, 4
    call flux(a(:, m), f, n, m)
    call update(a(:, 2), f, g)
  end do
  do t = 1, 4
    call flux2(x, n)
    call update2(x(2))
  end do
  total = 0
  do t = 1, 4
    call zero(q(9:n + 1 - t), f(1:2 - t), t, total)
    call update(q, f, g)
  end do
  print *, q, f, a, m, total
  print *, x(1)%q, x(2)%q, x(2)%f
end program
