! Heat in a plate, explicit five-point scheme with a mirror at the walls.
! Origin: forward-time centred-space differences, J. Crank and P. Nicolson, Proc. Camb. Phil. Soc. 43 (1947), section 1.
! Shows: plain do nests that parallelize proves independent, and a residual recognised as a reduction.
program heat_2d
  implicit none
  integer, parameter :: n = 200, steps = 100
  real(8), parameter :: r = 0.2d0
  real(8) :: t(n, n), next(n, n), change
  integer :: i, j, step
  do j = 1, n
    do i = 1, n
      t(i, j) = merge(100.0d0, 20.0d0, (i - 60)**2 + (j - 90)**2 < 400)
    end do
  end do
  do step = 1, steps
    do j = 1, n
      do i = 1, n
        next(i, j) = t(i, j) + r*(t(max(i - 1, 1), j) + t(min(i + 1, n), j) &
                                  + t(i, max(j - 1, 1)) + t(i, min(j + 1, n)) - 4.0d0*t(i, j))
      end do
    end do
    change = 0.0d0
    do j = 1, n
      do i = 1, n
        change = max(change, abs(next(i, j) - t(i, j)))
        t(i, j) = next(i, j)
      end do
    end do
    if (mod(step, 25) == 0) print '(a,i4,a,f10.6)', 'step', step, '  largest change', change
  end do
  print '(a,3f10.5)', 'temperatures ', t(60, 90), t(100, 100), t(n, n)
end program heat_2d
