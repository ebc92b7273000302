! Conway's game on a torus; integers only, so every compiler and device must agree to the last cell.
! Origin: M. Gardner, Scientific American 223 (October 1970).
! Shows: logical conditions and integer kinds in kernels, scalars that analysis makes private, array syntax, count as a reduction.
program game_of_life
  implicit none
  integer, parameter :: n = 96, generations = 64
  integer(1) :: cells(n, n), next(n, n)
  integer :: i, j, di, dj, alive, g
  cells = 0_1
  cells(10:12, 10) = 1_1
  cells(12, 11) = 1_1
  cells(11, 12) = 1_1
  do j = 40, 60
    do i = 30, 70
      cells(i, j) = int(mod(i*i + 3*j, 7)/5, 1)
    end do
  end do
  do g = 1, generations
    do concurrent (j = 1:n, i = 1:n)
      alive = 0
      do dj = -1, 1
        do di = -1, 1
          if (di /= 0 .or. dj /= 0) alive = alive + cells(modulo(i + di - 1, n) + 1, modulo(j + dj - 1, n) + 1)
        end do
      end do
      next(i, j) = merge(1_1, 0_1, alive == 3 .or. (alive == 2 .and. cells(i, j) == 1_1))
    end do
    cells = next
  end do
  print '(a,i0,a,i0)', 'alive after ', generations, ' generations: ', count(cells == 1_1)
  do j = 26, 22, -1
    print '(24i1)', cells(18:41, j)
  end do
end program game_of_life
