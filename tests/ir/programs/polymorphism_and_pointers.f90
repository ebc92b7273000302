module kinds
  implicit none
  type :: shape_t
    character(8) :: name = 'none'
  contains
    procedure :: area => no_area
    procedure :: describe
  end type
  type, extends(shape_t) :: rect
    real :: w = 1, h = 2
  contains
    procedure :: area => rect_area
  end type
  type, extends(rect) :: square
  contains
    procedure :: area => square_area
  end type
  type :: holder
    class(shape_t), allocatable :: item
    type(holder), pointer :: next => null()
    procedure(op), pointer, nopass :: f => null()
  end type
  type :: matrix
    integer :: n = 0
    real, allocatable :: a(:, :)
    character(:), allocatable :: label
  end type
  type :: point
    real :: x(2) = 0
    type(matrix) :: m
  end type
  abstract interface
    real function op(x, y)
      real, intent(in) :: x, y
    end function
  end interface
  interface operator(+)
    module procedure add_matrix
  end interface
  interface assignment(=)
    module procedure from_real
  end interface
contains
  real function no_area(self); class(shape_t), intent(in) :: self; no_area = -1; end function
  real function rect_area(self); class(rect), intent(in) :: self; rect_area = self%w*self%h; end function
  real function square_area(self); class(square), intent(in) :: self; square_area = self%w**2 + self%rect%area()*0; end function
  subroutine describe(self)
    class(shape_t), intent(in) :: self
    select type (self)
    type is (rect); print *, 'rect', self%w, self%h, self%area()
    class is (rect); print *, 'some rect', self%w, self%area()
    class default; print *, self%name, self%area()
    end select
  end subroutine
  function add_matrix(p, q) result(r)
    type(matrix), intent(in) :: p, q
    type(matrix) :: r
    r%n = p%n; r%a = p%a + q%a; r%label = p%label//'+'//q%label
  end function
  subroutine from_real(m, x)
    type(matrix), intent(out) :: m
    real, intent(in) :: x
    print *, 'from_real', m%n, allocated(m%a)
    m%n = 2; allocate (m%a(2, 2), source=x); m%label = 'm'
  end subroutine
  real function plus(x, y); real, intent(in) :: x, y; plus = x + y; end function
  real function times(x, y); real, intent(in) :: x, y; times = x*y; end function
  function apply(f, a) result(r)
    procedure(op) :: f
    real, intent(in) :: a(:)
    real :: r
    integer :: i
    r = a(1)
    do i = 2, size(a); r = f(r, a(i)); end do
  end function
  subroutine grow(list, n)
    integer, allocatable, intent(inout) :: list(:)
    integer, intent(in) :: n
    integer, allocatable :: tmp(:)
    allocate (tmp(n)); tmp = 0
    if (allocated(list)) tmp(:min(n, size(list))) = list(:min(n, size(list)))
    call move_alloc(tmp, list)
  end subroutine
  subroutine reset(list); integer, allocatable, intent(out) :: list(:); print *, allocated(list); allocate (list(2), source=7); end subroutine
  function words(n) result(w)
    integer, intent(in) :: n
    character(n) :: w(2)
    w(1) = 'abcdef'; w(2) = 'z'
  end function
  pure elemental integer function clamp(x, lo, hi) result(r)
    integer, intent(in) :: x
    integer, intent(in), optional :: lo, hi
    r = x
    if (present(lo)) r = max(r, lo)
    if (present(hi)) r = min(r, hi)
  end function
  recursive subroutine outer_level(n)
    integer, intent(in) :: n
    integer :: mine
    mine = n*100
    if (n > 1) call outer_level(n - 1)
    call show_it(report)
  contains
    subroutine report()
      print *, 'level', n, mine
    end subroutine
  end subroutine
  subroutine show_it(p)
    interface
      subroutine p()
      end subroutine
    end interface
    call p()
  end subroutine
end module
program p1
  use kinds
  implicit none
  type(holder) :: h(3)
  type(holder), target :: first
  class(shape_t), allocatable :: s
  class(shape_t), pointer :: sp
  type(square), target :: sq
  type(matrix) :: m1, m2, ms(2)
  type(point) :: pt(2), pq
  integer, allocatable :: list(:)
  integer :: i, j, k(5) = [5, 3, 9, 1, 7], g(3, 4)
  integer, pointer :: row(:), all_of(:, :), none(:) => null()
  integer, target :: grid(3, 4)
  character(:), allocatable :: text
  real, pointer :: rp
  allocate (rect :: h(1)%item); allocate (h(2)%item, source=square(name='sq', w=3, h=3)); allocate (h(3)%item)
  do i = 1, 3; call h(i)%item%describe(); end do
  allocate (s, source=h(2)%item); call s%describe()
  deallocate (s); allocate (s, mold=h(1)%item); call s%describe()
  sp => sq; sq%w = 5; call sp%describe()
  h(1)%f => plus; h(2)%f => times
  print *, h(1)%f(2., 3.), h(2)%f(2., 3.), associated(h(3)%f), apply(plus, [1., 2., 3.]), apply(h(2)%f, [1., 2., 3., 4.])
  print *, apply(local, [1., 2., 3.])
  m1 = 1.5; m2 = m1; m2%a(1, 2) = 9; m1 = m1 + m2
  print *, m1%a, m1%label, m2%a, len(m1%label)
  ms(1) = m1; ms(2) = ms(1); ms(2)%a = -1; print *, ms(1)%a, ms(2)%a
  pt(1)%m = m2; pt(2) = pt(1); pt(2)%m%a(1,1) = 0; pt%x(1) = [1., 2.]; pq = pt(2); print *, pt(1)%m%a, pq%m%a, pq%x, pt(:)%x(1)
  call grow(list, 3); list = [1, 2, 3]; call grow(list, 5); print *, list; call reset(list); print *, list
  grid = reshape([(i, i=1, 12)], [3, 4])
  row => grid(2, :); row(2) = -5; all_of => grid; all_of(:, 1) = 0; print *, grid, associated(row, grid(2, :)), associated(none)
  row => grid(:, 4); row(0:) => row; print *, lbound(row), row(0), size(row)
  print *, words(4), words(2)//'!'
  print *, clamp(k), clamp(k, 4), clamp(k, hi=6), clamp(k, 4, 6)
  where (clamp(k, 4) > 4 .and. k < 9)
    k = clamp(k*2, hi=11)
  elsewhere (k == 9)
    k = sum(k)
  end where
  print *, k
  first%next => first; print *, associated(first%next%next, first)
  text = 'abc'; text(2:2) = 'X'; text = text//repeat('-', 3); print *, text, len(text)
  allocate (rp); rp = 2.5; print *, rp; deallocate (rp); print *, associated(rp)
  g = 0
  do concurrent (i = 1:3, j = 1:4, i /= j)
    block
      integer :: t(2)
      t = [i, j]
      g(i, j) = t(1)*10 + t(2)
    end block
  end do
  print *, g
  associate (d => g(:, 2), n => size(g))
    d = d + n
  end associate
  print *, g(:, 2)
  call outer_level(3)
contains
  real function local(x, y)
    real, intent(in) :: x, y
    local = x + 2*y + sq%w
  end function
end program
