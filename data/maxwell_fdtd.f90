! Electromagnetic waves in three dimensions on a staggered grid, with a perfectly conducting box around.
! Origin: K. S. Yee, IEEE Trans. Antennas Propag. 14 (1966).
! Shows: nests of three loops, arrays of different shapes, several launches a step, a point source set by the host.
program maxwell_fdtd
  implicit none
  integer, parameter :: n = 32, steps = 60
  real(4), parameter :: c = 0.5
  real(4) :: ex(n, n + 1, n + 1), ey(n + 1, n, n + 1), ez(n + 1, n + 1, n)
  real(4) :: hx(n + 1, n, n), hy(n, n + 1, n), hz(n, n, n + 1)
  integer :: i, j, k, step
  ex = 0.0; ey = 0.0; ez = 0.0; hx = 0.0; hy = 0.0; hz = 0.0
  do step = 1, steps
    do concurrent (k = 1:n, j = 1:n, i = 1:n + 1)
      hx(i, j, k) = hx(i, j, k) + c*((ey(i, j, k + 1) - ey(i, j, k)) - (ez(i, j + 1, k) - ez(i, j, k)))
    end do
    do concurrent (k = 1:n, j = 1:n + 1, i = 1:n)
      hy(i, j, k) = hy(i, j, k) + c*((ez(i + 1, j, k) - ez(i, j, k)) - (ex(i, j, k + 1) - ex(i, j, k)))
    end do
    do concurrent (k = 1:n + 1, j = 1:n, i = 1:n)
      hz(i, j, k) = hz(i, j, k) + c*((ex(i, j + 1, k) - ex(i, j, k)) - (ey(i + 1, j, k) - ey(i, j, k)))
    end do
    do concurrent (k = 2:n, j = 2:n, i = 1:n)
      ex(i, j, k) = ex(i, j, k) + c*((hz(i, j, k) - hz(i, j - 1, k)) - (hy(i, j, k) - hy(i, j, k - 1)))
    end do
    do concurrent (k = 2:n, j = 1:n, i = 2:n)
      ey(i, j, k) = ey(i, j, k) + c*((hx(i, j, k) - hx(i, j, k - 1)) - (hz(i, j, k) - hz(i - 1, j, k)))
    end do
    do concurrent (k = 1:n, j = 2:n, i = 2:n)
      ez(i, j, k) = ez(i, j, k) + c*((hy(i, j, k) - hy(i - 1, j, k)) - (hx(i, j, k) - hx(i, j - 1, k)))
    end do
    ez(n/2, n/2, n/2) = ez(n/2, n/2, n/2) + sin(0.3*step)
  end do
  print '(a,3es13.5)', 'fields ', ez(n/2 + 4, n/2, n/2), ex(n/2, n/2 + 3, n/2 + 2), hy(n/2, 5, n/2)
  print '(a,es13.5)', 'energy ', sum(ez**2) + sum(ex**2) + sum(ey**2)
end program maxwell_fdtd
