module k
  implicit none
contains
  pure real(8) function total(x)
    real(8), intent(in) :: x(:, :)
    total = sum(x) + size(x, 1)*10 + size(x, 2)*100
  end function
  pure subroutine twice(x, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: x(n)
    x = 2*x
  end subroutine
  pure subroutine spread_out(x)
    real(8), intent(inout) :: x(:)
    x(2:) = x(2:) + x(1)
  end subroutine
  subroutine work(a, b, s)
    real(8), intent(inout) :: a(0:, -1:)
    real(8), intent(inout) :: b(:)
    real(8), intent(inout) :: s
    integer :: i, n, m, at(3)
    n = ubound(a, 1)
    m = ubound(a, 2)
    a(0, :) = a(1, :)
    a(n, :) = a(n - 1, :)
    a(:, -1) = a(:, 0)
    a(n:1:-1, m) = a(0:n - 1, 0)
    at = [3, 1, 2]
    b(at) = b(:3) + 1
    b = b*0.5d0
    where (b > 1) b = b - 1
    b(size(b):1:-2) = b(size(b):1:-2) + 0.25d0
    s = s + sum(a) + maxval(b) + total(a) + total(a(1:, 0:))
    s = s + sum(shape(a)*[1, 2]) + size(a) + sum(lbound(a)) + 3*sum(ubound(a)) + lbound(b, 1) + sum(lbound(b))
    call twice(b, size(b))
    call spread_out(a(:, 1))
    call spread_out(a(n, :))
    do concurrent (i = 1:size(b))
      b(i) = b(i) + a(0, m) + sum(a(0:1, 0))
    end do
  end subroutine
  subroutine flat(b, n, s)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(2:n), s
    integer :: i
    b = b*0.5d0 + sum(b)
    b(3:4) = b(4:3:-1)
    call twice(b(2:5), 4)
    s = s + size(b) + 10*lbound(b, 1) + 100*ubound(b, 1) + dot_product(b, b)
    do concurrent (i = 2:n)
      b(i) = b(i) + i
    end do
  end subroutine
end module
program p
  use k
  implicit none
  real(8) :: a(3:8, 6), c(2, 0:11, 7), b(5), d(12), s
  real(8), allocatable :: x(:, :), y(:)
  integer :: i, j, t
  allocate (x(0:5, -1:4), y(2:7))
  do j = 1, 6
    do i = 3, 8
      a(i, j) = 0.25d0*mod(i*j, 7)
    end do
  end do
  do i = 0, 11
    c(1, i, :) = 0.125d0*mod(i*i, 5)
    c(2, i, :) = 0.5d0*mod(i, 3)
  end do
  x = a
  b = [1, 2, 3, 4, 5]
  d = 1
  y = 2
  s = 0
  do t = 1, 2
    call work(a, b, s)
    call work(x, y, s)
    call work(x(1:, :), d(1:9:2), s)
    call work(a(8:3:-1, ::2), y(7:2:-1), s)
    call work(c(t, 1:10:3, :), c(2, 0, :), s)
    call work(c(2, :, 7:1:-2), c(1, 3:11:2, t), s)
    call flat(y, 7, s)
    call flat(b, 5, s)
    call flat(d(12:1:-2), 7, s)
  end do
  print '(6es24.15)', a, b, c, d, s
  print '(6es24.15)', x, y
  print *, lbound(x), ubound(x), lbound(y), ubound(y)
end program
