! The same with the shifts of lower bounds that inlining the procedures of two loops gives.
module state_m
  use, intrinsic :: iso_fortran_env, only: rk => real32, dp => real64
  implicit none
  type :: grid_t
    integer :: nx = 0, ny = 0
    real(rk) :: dx = 1.0_rk, dy = 1.0_rk
  end type grid_t
  type :: tracer_t
    character(len=8) :: name = 'none'
    real(rk) :: nu = 0.0_rk
    real(rk), allocatable :: q(:, :), dq(:, :)
  end type tracer_t
  type :: state_t
    type(grid_t) :: g
    real(rk), allocatable :: u(:, :), v(:, :)
    real(rk), allocatable :: fx(:, :), fy(:, :)
    type(tracer_t), allocatable :: tr(:)
  end type state_t
  ! solved for the linear stability polynomial 1 + z + z**2/2 + z**3/6 + z**4/24
  real(rk), parameter :: ak(4) = [0.0_rk, -0.6_rk, -1.0_rk, -1.5_rk]
  real(rk), parameter :: bk(4) = [0.12920581_rk, 1.34175441_rk, 0.47194318_rk, 0.50926515_rk]
contains

  subroutine create(s, nx, ny, names, nus)
    type(state_t), intent(out) :: s
    integer, intent(in) :: nx, ny
    character(len=*), intent(in) :: names(:)
    real(rk), intent(in) :: nus(:)
    integer :: m, i, j
    s%g = grid_t(nx, ny, 1.0_rk/nx, 0.75_rk/ny)
    allocate (s%u(0:nx + 1, 0:ny + 1), s%v(0:nx + 1, 0:ny + 1), source=0.0_rk)
    allocate (s%fx(0:nx, 0:ny), s%fy(0:nx, 0:ny), source=0.0_rk)
    allocate (s%tr(size(names)))
    do m = 1, size(names)
      s%tr(m)%name = names(m)
      s%tr(m)%nu = nus(m)
      allocate (s%tr(m)%q(0:nx + 1, 0:ny + 1), s%tr(m)%dq(0:nx + 1, 0:ny + 1))
      s%tr(m)%dq = 0.0_rk
      do concurrent (i = 1:nx, j = 1:ny)
        s%tr(m)%q(i, j) = 0.5_rk*m + exp(-real((i - nx/4*m)**2 + (j - ny/2)**2, rk)/20.0_rk)
      end do
      call ghosts(s%tr(m)%q)
    end do
    do concurrent (i = 0:nx, j = 1:ny)
      s%u(i, j) = stream(i, j) - stream(i, j - 1)
    end do
    do concurrent (i = 1:nx, j = 0:ny)
      s%v(i, j) = stream(i - 1, j) - stream(i, j)
    end do
  contains
    pure real(rk) function stream(a, b)
      integer, intent(in) :: a, b
      stream = 24.0_rk*(real(a, rk)/nx)*(1.0_rk - real(a, rk)/nx)*(real(b, rk)/ny)*(1.0_rk - real(b, rk)/ny)
    end function stream
  end subroutine create

  subroutine ghosts(a)
    real(rk), intent(inout) :: a(0:, 0:)
    integer :: n, m
    n = ubound(a, 1)
    m = ubound(a, 2)
    a(0, :) = a(1, :)
    a(n, :) = a(n - 1, :)
    a(:, 0) = a(:, 1)
    a(:, m) = a(:, m - 1)
  end subroutine ghosts

  pure real(rk) function inner(q, vel, kh)
    real(rk), intent(in) :: q(-1:), vel, kh        ! cells -1 0 | 1 2 around the face
    inner = (vel*(7.0_rk*(q(0) + q(1)) - q(-1) - q(2)) - kh*(15.0_rk*(q(1) - q(0)) - q(2) + q(-1)))/12.0_rk
  end function inner

  pure real(rk) function near_wall(q, vel, kh)
    real(rk), intent(in) :: q(:), vel, kh          ! first four cells off the wall
    near_wall = (vel*(3.0_rk*q(1) + 13.0_rk*q(2) - 5.0_rk*q(3) + q(4)) &
                 - kh*(-11.0_rk*q(1) + 9.0_rk*q(2) + 3.0_rk*q(3) - q(4)))/12.0_rk
  end function near_wall

  subroutine run(s, steps, dt)
    type(state_t), intent(inout) :: s
    integer, intent(in) :: steps
    real(rk), intent(in) :: dt
    integer :: step, stage, m, i, j
    do step = 1, steps
      do stage = 1, size(ak)
        do m = 1, size(s%tr)
          do concurrent (j = 1:s%g%ny, i = 2:s%g%nx - 2)
            s%fx(i - 0 + lbound(s%fx, 1), j - 0 + lbound(s%fx, 2)) = &
              inner(s%tr(m)%q(i - 1 - 0 + lbound(s%tr(m)%q, 1):i + 2 - 0 + lbound(s%tr(m)%q, 1), &
              j - 0 + lbound(s%tr(m)%q, 2)), s%u(i - 0 + lbound(s%u, 1), j - 0 + lbound(s%u, 2)), s%tr(m)%nu)
          end do
          do concurrent (j = 1:s%g%ny)
            s%fx(1 - 0 + lbound(s%fx, 1), j - 0 + lbound(s%fx, 2)) = &
              near_wall(s%tr(m)%q(1 - 0 + lbound(s%tr(m)%q, 1):4 - 0 + lbound(s%tr(m)%q, 1), &
              j - 0 + lbound(s%tr(m)%q, 2)), s%u(1 - 0 + lbound(s%u, 1), j - 0 + lbound(s%u, 2)), s%tr(m)%nu)
            s%fx(s%g%nx - 1 - 0 + lbound(s%fx, 1), j - 0 + lbound(s%fx, 2)) = &
              -near_wall(s%tr(m)%q(s%g%nx - 0 + lbound(s%tr(m)%q, 1):s%g%nx - 3 - 0 + lbound(s%tr(m)%q, 1) &
              :-1, j - 0 + lbound(s%tr(m)%q, 2)), &
                -s%u(s%g%nx - 1 - 0 + lbound(s%u, 1), j - 0 + lbound(s%u, 2)), s%tr(m)%nu)
          end do
          do concurrent (j = 2:s%g%ny - 2, i = 1:s%g%nx)
            s%fy(i - 0 + lbound(s%fy, 1), j - 0 + lbound(s%fy, 2)) = &
              inner(s%tr(m)%q(i - 0 + lbound(s%tr(m)%q, 1), j - 1 - 0 + lbound(s%tr(m)%q, 2) &
              :j + 2 - 0 + lbound(s%tr(m)%q, 2)), s%v(i - 0 + lbound(s%v, 1), j - 0 + lbound(s%v, 2)), s%tr(m)%nu)
          end do
          do concurrent (i = 1:s%g%nx)
            s%fy(i - 0 + lbound(s%fy, 1), 1 - 0 + lbound(s%fy, 2)) = &
              near_wall(s%tr(m)%q(i - 0 + lbound(s%tr(m)%q, 1), 1 - 0 + lbound(s%tr(m)%q, 2) &
              :4 - 0 + lbound(s%tr(m)%q, 2)), s%v(i - 0 + lbound(s%v, 1), 1 - 0 + lbound(s%v, 2)), s%tr(m)%nu)
            s%fy(i - 0 + lbound(s%fy, 1), s%g%ny - 1 - 0 + lbound(s%fy, 2)) = &
              -near_wall(s%tr(m)%q(i - 0 + lbound(s%tr(m)%q, 1), s%g%ny - 0 + lbound(s%tr(m)%q, 2) &
              :s%g%ny - 3 - 0 + lbound(s%tr(m)%q, 2):-1), &
                -s%v(i - 0 + lbound(s%v, 1), s%g%ny - 1 - 0 + lbound(s%v, 2)), s%tr(m)%nu)
          end do
          do concurrent (j = 1:0 + size(s%fx, 2) - 1, i = 1:0 + size(s%fx, 1) - 1)
            s%tr(m)%dq(i - 0 + lbound(s%tr(m)%dq, 1), j - 0 + lbound(s%tr(m)%dq, 2)) = &
              ak(stage)*s%tr(m)%dq(i - 0 + lbound(s%tr(m)%dq, 1), j - 0 + lbound(s%tr(m)%dq, 2)) - dt*( &
                s%fx(i - 0 + lbound(s%fx, 1), j - 0 + lbound(s%fx, 2)) &
                - s%fx(i - 1 - 0 + lbound(s%fx, 1), j - 0 + lbound(s%fx, 2)) &
                + s%fy(i - 0 + lbound(s%fy, 1), j - 0 + lbound(s%fy, 2)) &
                - s%fy(i - 0 + lbound(s%fy, 1), j - 1 - 0 + lbound(s%fy, 2)))
            s%tr(m)%q(i - 0 + lbound(s%tr(m)%q, 1), j - 0 + lbound(s%tr(m)%q, 2)) = &
              s%tr(m)%q(i - 0 + lbound(s%tr(m)%q, 1), j - 0 + lbound(s%tr(m)%q, 2)) &
                + bk(stage)*s%tr(m)%dq(i - 0 + lbound(s%tr(m)%dq, 1), j - 0 + lbound(s%tr(m)%dq, 2))
          end do
        end do
      end do
    end do
  end subroutine run
end module state_m

program b12_advdiff_types
  use state_m
  implicit none
  integer, parameter :: nx = 14, ny = 11, chunk = 2, chunks = 2
  type(state_t) :: s, saved
  integer :: c, m

  call create(s, nx, ny, [character(len=8) :: 'salt', 'dye'], [0.05_rk, 0.4_rk])
  saved = s
  do c = 1, chunks
    call run(s, chunk, 0.2_rk)
    do m = 1, size(s%tr)
      associate (q => s%tr(m)%q(1:nx, 1:ny))
        print '(a,i4,1x,a,f10.3,2(1x,f8.4),es12.4)', 'step', c*chunk, s%tr(m)%name, sum(real(q, dp)), &
          minval(q), maxval(q), sqrt(sum((real(q, dp) - saved%tr(m)%q(1:nx, 1:ny))**2)/size(q))
      end associate
    end do
  end do
  print '(a,4(1x,i0))', 'bounds', lbound(saved%tr(2)%q), ubound(saved%tr(2)%q)
  print '(a,6(1x,f8.4))', 'samples', s%tr(1)%q(9, 4), s%tr(1)%q(1, 1), s%tr(2)%q(12, 7), s%tr(2)%q(nx, ny), &
              s%fx(0, 3), s%fx(3, 3)
  print '(a,2(1x,f8.4))', 'kept', saved%tr(1)%q(9, 4), saved%tr(2)%q(0, 0)
end program b12_advdiff_types
