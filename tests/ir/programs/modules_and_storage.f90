block data init
  common /text/ c, i
  character(4) :: c(2)
  integer :: i(3)
  data c /'ab', 'wxyz'/, i /3*7/
end block data
module store
  implicit none
  integer, parameter :: n = 4
  real(8), save, target :: field(0:n, n) = 1
  integer :: counter = 0
  real(8), allocatable :: work(:)
  type cfg
    integer :: steps = 10
    real :: tol = 1e-3
    logical :: on(2) = [.true., .false.]
  end type
  type(cfg), parameter :: base = cfg(steps=3)
  type(cfg) :: current = cfg(5, 0.5, [.false., .true.])
  interface
    module subroutine elsewhere(x)
      integer, intent(inout) :: x
    end subroutine
    module function twice(x) result(r)
      integer, intent(in) :: x
      integer :: r
    end function
  end interface
contains
  subroutine tick(); counter = counter + 1; end subroutine
  subroutine use_work(k)
    integer, intent(in) :: k
    if (.not. allocated(work)) allocate (work(k), source=0d0)
    work(1) = work(1) + k
  end subroutine
end module
submodule (store) impl
contains
  module subroutine elsewhere(x)
    integer, intent(inout) :: x
    x = x + counter
  end subroutine
  module procedure twice
    r = 2*x
  end procedure
end submodule
program p2
  use store, only: field, tick, counter, use_work, work, cfg, base, current, elsewhere, dbl => twice
  implicit none
  common /text/ c, i
  character(4) :: c(2)
  integer :: i(3), j, k, a(2, 3), b(6), x
  integer, parameter :: tab(3, 2) = reshape([1, 2, 3, 4, 5, 6], [3, 2]), last = tab(3, 2)
  character(*), parameter :: names(3) = ['one  ', 'two  ', 'three']
  real :: r
  integer :: ir
  equivalence (r, ir)
  equivalence (a, b)
  logical :: l, lg(3)
  complex :: z(2)
  real(8) :: s, arr(3, 3)
  external :: old_style
  integer, external :: old_func
  integer :: status
  character(30) :: msg
  integer, allocatable :: q(:)
  interface gen
    procedure :: gi, gr
  end interface
  print *, c, i
  r = 1.0; print '(z8)', ir
  b = [1, 2, 3, 4, 5, 6]; print *, a(2, :), a(1, 3)
  call tick(); call tick(); x = 5; call elsewhere(x); print *, counter, x, dbl(4)
  call use_work(3); call use_work(4); print *, work, allocated(work)
  print *, base%steps, base%tol, base%on, current
  print *, tab(2, :), last, names, size(names), len(names)
  field(:, 2) = [(j*1d0, j=0, 4)]; print *, sum(field), field(4, 2), lbound(field), ubound(field, 1)
  call old_style(b, 3); print *, b; call old_style(b(3), 2); print *, b, old_func(4)
  print *, gen(3), gen(2.5)
  allocate (q(3), stat=status); print *, status; allocate (q(4), stat=status, errmsg=msg); print *, status > 0, trim(msg)
  deallocate (q, stat=status); print *, status; deallocate (q, stat=status); print *, status > 0
  l = .true.; lg = [.true., .false., .true.]; print *, l .and. lg, l .neqv. lg(2), .not. lg, l .eqv. .false., count(lg)
  z = [(1., 2.), (3., -4.)]; print *, z, z%re, z(2)%im
  s = 0
  arr = 0
  do j = 1, 3
    do k = j, 3
      arr(j, k) = j*10 + k
      if (k == 3) exit
    end do
  end do
  print *, arr, k, j
  print *, [(/1, 2/), [3, 4]], [real :: 1, 2.5], [character(2) :: 'a', 'bcd'], [integer ::], [(j, j*j, j=1, 3)]
  print *, ((j*k, j=1, 2), k=1, 3)
  read_back: block
    character(50) :: line
    integer :: p, t(2, 2)
    write (line, *) 5, 6, 7, 8
    read (line, *) p, (t(j, 1), j=1, 2), t(1, 2)
    print *, p, t(:, 1), t(1, 2), j
  end block read_back
  print *, iand(z'ff', 15), int(b'101'), real(z'3f800000'), ior(8, o'7')
  goto 10
  print *, 'never'
10 continue
  if (x) 20, 30, 40
20 print *, 'neg'
30 print *, 'zero'
40 print *, 'pos'
  do 50, j = 1, 2
    print *, 'labelled', j
50 continue
contains
  integer function gi(x); integer, intent(in) :: x; gi = x + 1; end function
  real function gr(x); real, intent(in) :: x; gr = x*2; end function
end program
subroutine old_style(v, m)
  integer :: m, v(*)
  integer :: i
  do i = 1, m
    v(i) = v(i)*10
  end do
end subroutine
integer function old_func(n)
  old_func = n**2
end function
