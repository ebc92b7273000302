subroutine flux(q, f, n, m)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: q(n, m)
  real(8), intent(inout) :: f(n, m)
  integer :: i, j
  do j = 1, m
    do i = 1, n - 1
      f(i, j) = q(i + 1, j) - q(i, j)
    end do
  end do
end subroutine
subroutine update(q, f, n, m)
  implicit none
  integer n, m
  real(8) q(n, m), f(n, m)
  integer :: i, j
  do j = 1, m
    do i = 2, n - 1
      q(i, j) = q(i, j) + 0.125d0*(f(i, j) - f(i - 1, j))
    end do
  end do
end subroutine
program p
  implicit none
  integer, parameter :: n = 9, m = 5
  real(8) :: q(0:n - 1, m), f(n, m + 2)
  integer :: t, i
  q = reshape([(mod(i*i, 11)*0.5d0, i = 1, n*m)], [n, m])
  f = 0
  do t = 1, 4
    call flux(q, f, n, m)
    call update(q, f, n, m)
  end do
  print *, q
  print *, f
end program
