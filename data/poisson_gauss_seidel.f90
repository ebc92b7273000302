! Poisson's equation by Gauss-Seidel sweeps in red-black order.
! Origin: D. M. Young, Iterative Solution of Large Linear Systems (1971), chapter 5.
! Shows: strides of two that isl proves apart, a sweep in natural order that it proves not to be parallel.
program poisson_gauss_seidel
  implicit none
  integer, parameter :: n = 24, sweeps = 800
  real(8) :: p(0:n + 1, 0:n + 1), f(n, n), natural(0:n + 1, 0:n + 1), worst
  integer :: i, j, k, colour
  p = 0.0d0
  natural = 0.0d0
  do j = 1, n
    do i = 1, n
      f(i, j) = sin(0.1d0*i)*cos(0.07d0*j)/n
    end do
  end do
  do k = 1, sweeps
    do colour = 0, 1
      do j = 1, n
        do i = 1 + mod(j + colour, 2), n, 2
          p(i, j) = 0.25d0*(p(i - 1, j) + p(i + 1, j) + p(i, j - 1) + p(i, j + 1) - f(i, j))
        end do
      end do
    end do
    do j = 1, n
      do i = 1, n
        natural(i, j) = 0.25d0*(natural(i - 1, j) + natural(i + 1, j) + natural(i, j - 1) + natural(i, j + 1) - f(i, j))
      end do
    end do
  end do
  worst = maxval(abs(p - natural))
  print '(a,2es14.6)', 'centre ', p(n/2, n/2), natural(n/2, n/2)
  print '(a,es10.2)', 'largest difference between the orders ', worst
end program poisson_gauss_seidel
