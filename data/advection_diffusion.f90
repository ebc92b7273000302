! Advection-diffusion of a tracer in a closed box: face fluxes of fourth order, one-sided formulas at the walls,
! four-stage low-storage Runge-Kutta; each stage is one loop over faces and one over cells.
! Origin: finite-volume face interpolation as in R. J. LeVeque, Finite Volume Methods for Hyperbolic Problems (2002);
! the time scheme is that of A. Jameson, W. Schmidt, E. Turkel, AIAA paper 81-1259 (1981).
! Shows: boundary tests inside pure functions (split), flux arrays that fuse into the update, ping-pong buffers.
! Arguments: cells a side (default 256), time steps (default 20).
module advection_diffusion_m
  use, intrinsic :: iso_fortran_env, only: sp => real32, dp => real64
  implicit none
  real(sp), parameter :: weight(4) = [0.25_sp, 1.0_sp/3.0_sp, 0.5_sp, 1.0_sp]
contains

  pure real(sp) function face_value(a, b, c, d)
    real(sp), intent(in) :: a, b, c, d
    face_value = (7.0_sp*(b + c) - (a + d))/12.0_sp
  end function face_value

  pure real(sp) function face_slope(a, b, c, d)
    real(sp), intent(in) :: a, b, c, d
    face_slope = (15.0_sp*(c - b) - (d - a))/12.0_sp
  end function face_slope

  pure real(sp) function flux_x(q, n, i, j, u, nu)
    integer, intent(in) :: n, i, j
    real(sp), intent(in) :: q(n, n), u, nu
    if (i == 1 .or. i == n + 1) then
      flux_x = 0.0_sp
    else if (i == 2) then
      flux_x = u*0.5_sp*(q(1, j) + q(2, j)) - nu*(q(2, j) - q(1, j))
    else if (i == n) then
      flux_x = u*0.5_sp*(q(n - 1, j) + q(n, j)) - nu*(q(n, j) - q(n - 1, j))
    else
      flux_x = u*face_value(q(i - 2, j), q(i - 1, j), q(i, j), q(i + 1, j)) &
               - nu*face_slope(q(i - 2, j), q(i - 1, j), q(i, j), q(i + 1, j))
    end if
  end function flux_x

  pure real(sp) function flux_y(q, n, i, j, v, nu)
    integer, intent(in) :: n, i, j
    real(sp), intent(in) :: q(n, n), v, nu
    if (j == 1 .or. j == n + 1) then
      flux_y = 0.0_sp
    else if (j == 2) then
      flux_y = v*0.5_sp*(q(i, 1) + q(i, 2)) - nu*(q(i, 2) - q(i, 1))
    else if (j == n) then
      flux_y = v*0.5_sp*(q(i, n - 1) + q(i, n)) - nu*(q(i, n) - q(i, n - 1))
    else
      flux_y = v*face_value(q(i, j - 2), q(i, j - 1), q(i, j), q(i, j + 1)) &
               - nu*face_slope(q(i, j - 2), q(i, j - 1), q(i, j), q(i, j + 1))
    end if
  end function flux_y

  subroutine solve(q, n, steps, u, v, nu, cfl)
    integer, intent(in) :: n, steps
    real(sp), allocatable, intent(inout) :: q(:, :)
    real(sp), intent(in) :: u, v, nu, cfl
    real(sp), allocatable :: q0(:, :), fx(:, :), fy(:, :)
    real(sp) :: c
    integer :: step, stage, i, j
    allocate (q0(n, n), fx(n + 1, n + 1), fy(n + 1, n + 1))
    do step = 1, steps
      do concurrent (j = 1:n, i = 1:n)
        q0(i, j) = q(i, j)
      end do
      do stage = 1, 4
        c = weight(stage)*cfl
        do concurrent (j = 1:n + 1, i = 1:n + 1)
          if (j <= n) fx(i, j) = flux_x(q, n, i, j, u, nu)
          if (i <= n) fy(i, j) = flux_y(q, n, i, j, v, nu)
        end do
        do concurrent (j = 1:n, i = 1:n)
          q(i, j) = q0(i, j) - c*((fx(i + 1, j) - fx(i, j)) + (fy(i, j + 1) - fy(i, j)))
        end do
      end do
    end do
  end subroutine solve
end module advection_diffusion_m

program advection_diffusion
  use advection_diffusion_m
  implicit none
  integer :: n, steps, i, j
  real(sp), allocatable :: q(:, :)
  real(sp) :: x, y
  real(dp) :: mass, square
  character(32) :: argument
  n = 256
  steps = 20
  if (command_argument_count() >= 1) then
    call get_command_argument(1, argument)
    read (argument, *) n
  end if
  if (command_argument_count() >= 2) then
    call get_command_argument(2, argument)
    read (argument, *) steps
  end if
  allocate (q(n, n))
  do j = 1, n
    do i = 1, n
      x = (i - 0.5_sp)/n
      y = (j - 0.5_sp)/n
      q(i, j) = 1.0_sp + 0.5_sp*exp(-50.0_sp*((x - 0.4_sp)**2 + (y - 0.45_sp)**2))
    end do
  end do
  call solve(q, n, steps, 0.4_sp, -0.2_sp, 0.05_sp, 0.2_sp)
  mass = 0.0_dp
  square = 0.0_dp
  do j = 1, n
    do i = 1, n
      mass = mass + q(i, j)
      square = square + real(q(i, j), dp)**2
    end do
  end do
  print '(a,i0,a,i0,a)', 'advection-diffusion on ', n, ' squared cells, ', steps, ' steps'
  print '(a,f12.7,a,f12.7)', 'mean ', mass/n/n, '   mean square ', square/n/n
  print '(a,3f10.6)', 'samples ', q(1, 1), q(n/2, n/2), q(n, n)
end program advection_diffusion
