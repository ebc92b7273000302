! A dam break: the shallow water equations by the two-step Lax-Wendroff scheme.
! Origin: R. D. Richtmyer, NCAR Technical Note 63-2 (1963).
! Shows: loops over staggered points in subroutines called one after the other; scalars private to an iteration.
module shallow_water_m
  implicit none
  real(8), parameter :: g = 9.81d0
contains
  subroutine half_step(h, q, hm, qm, r)
    real(8), intent(in) :: h(:), q(:), r
    real(8), intent(out) :: hm(:), qm(:)
    real(8) :: left, right
    integer :: i
    do i = 1, size(h) - 1
      left = q(i)**2/h(i) + 0.5d0*g*h(i)**2
      right = q(i + 1)**2/h(i + 1) + 0.5d0*g*h(i + 1)**2
      hm(i) = 0.5d0*(h(i) + h(i + 1)) - 0.5d0*r*(q(i + 1) - q(i))
      qm(i) = 0.5d0*(q(i) + q(i + 1)) - 0.5d0*r*(right - left)
    end do
  end subroutine half_step

  subroutine full_step(h, q, hm, qm, r)
    real(8), intent(inout) :: h(:), q(:)
    real(8), intent(in) :: hm(:), qm(:), r
    real(8) :: left, right
    integer :: i
    do i = 2, size(h) - 1
      left = qm(i - 1)**2/hm(i - 1) + 0.5d0*g*hm(i - 1)**2
      right = qm(i)**2/hm(i) + 0.5d0*g*hm(i)**2
      h(i) = h(i) - r*(qm(i) - qm(i - 1))
      q(i) = q(i) - r*(right - left)
    end do
  end subroutine full_step
end module shallow_water_m

program shallow_water_1d
  use shallow_water_m
  implicit none
  integer, parameter :: n = 400, steps = 150
  real(8) :: h(n), q(n), hm(n - 1), qm(n - 1)
  integer :: i, step
  do i = 1, n
    h(i) = merge(2.0d0, 1.0d0, i <= n/2)
  end do
  q = 0.0d0
  do step = 1, steps
    call half_step(h, q, hm, qm, 0.1d0)
    call full_step(h, q, hm, qm, 0.1d0)
  end do
  print '(a,5f9.5)', 'depth ', h(20), h(n/2 - 40), h(n/2), h(n/2 + 60), h(n - 10)
  print '(a,f12.6)', 'volume ', sum(h)
end program shallow_water_1d
