! A drum: the wave equation by the leapfrog scheme, three time levels whose roles move_alloc exchanges.
! Origin: R. Courant, K. Friedrichs, H. Lewy, Math. Ann. 100 (1928).
! Shows: allocatable arrays whose allocations rotate between launches; host code between kernels.
program wave_2d
  implicit none
  integer, parameter :: n = 160, steps = 120
  real(4), parameter :: c2 = 0.25
  real(4), allocatable :: old(:, :), now(:, :), new(:, :)
  integer :: i, j, step
  allocate (old(n, n), now(n, n), new(n, n))
  new = 0.0
  do concurrent (j = 1:n, i = 1:n)
    now(i, j) = exp(-((i - n/3)**2 + (j - n/2)**2)/50.0)
    old(i, j) = now(i, j)
  end do
  do step = 1, steps
    do concurrent (j = 2:n - 1, i = 2:n - 1)
      new(i, j) = 2.0*now(i, j) - old(i, j) + c2*(now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) &
                                                  - 4.0*now(i, j))
    end do
    call rotate(old, now, new)
  end do
  print '(a,4f10.5)', 'heights ', now(n/3, n/2), now(n/2, n/2), now(20, 20), now(n - 20, n - 20)
contains
  subroutine rotate(a, b, c)
    real(4), allocatable, intent(inout) :: a(:, :), b(:, :), c(:, :)
    real(4), allocatable :: t(:, :)
    call move_alloc(a, t)
    call move_alloc(b, a)
    call move_alloc(c, b)
    call move_alloc(t, c)
  end subroutine rotate
end program wave_2d
