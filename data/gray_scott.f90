! Reaction and diffusion of two substances with periodic walls by wrapped subscripts.
! Origin: the Gray-Scott model, J. E. Pearson, Science 261 (1993).
! Shows: modulo in subscripts, two fields in a derived type, a module procedure over assumed-shape components.
module gray_scott_m
  implicit none
  type :: fields_t
    real(8), allocatable :: u(:, :), v(:, :)
  end type fields_t
contains
  subroutine react(now, next, f, k)
    type(fields_t), intent(in) :: now
    type(fields_t), intent(inout) :: next
    real(8), intent(in) :: f, k
    integer :: i, j, n
    n = size(now%u, 1)
    do concurrent (j = 1:n, i = 1:n)
      block
        real(8) :: uvv, lu, lv
        integer :: e, w, s, t
        e = modulo(i, n) + 1
        w = modulo(i - 2, n) + 1
        t = modulo(j, n) + 1
        s = modulo(j - 2, n) + 1
        uvv = now%u(i, j)*now%v(i, j)**2
        lu = now%u(e, j) + now%u(w, j) + now%u(i, t) + now%u(i, s) - 4.0d0*now%u(i, j)
        lv = now%v(e, j) + now%v(w, j) + now%v(i, t) + now%v(i, s) - 4.0d0*now%v(i, j)
        next%u(i, j) = now%u(i, j) + 0.16d0*lu - uvv + f*(1.0d0 - now%u(i, j))
        next%v(i, j) = now%v(i, j) + 0.08d0*lv + uvv - (f + k)*now%v(i, j)
      end block
    end do
  end subroutine react
end module gray_scott_m

program gray_scott
  use gray_scott_m
  implicit none
  integer, parameter :: n = 128, steps = 200
  type(fields_t) :: a, b
  integer :: i, j, step
  allocate (a%u(n, n), a%v(n, n), b%u(n, n), b%v(n, n))
  do concurrent (j = 1:n, i = 1:n)
    a%u(i, j) = merge(0.5d0, 1.0d0, abs(i - n/2) < 9 .and. abs(j - n/2) < 9)
    a%v(i, j) = merge(0.25d0, 0.0d0, abs(i - n/2) < 9 .and. abs(j - n/2) < 9)
  end do
  do step = 1, steps/2
    call react(a, b, 0.035d0, 0.065d0)
    call react(b, a, 0.035d0, 0.065d0)
  end do
  print '(a,2f12.8)', 'means ', sum(a%u)/n**2, sum(a%v)/n**2
  print '(a,3f10.6)', 'samples ', a%v(n/2, n/2), a%v(n/2 + 12, n/2), a%v(3, 3)
end program gray_scott
