module m
  implicit none
  type :: base
    integer :: id = 1
    character(4) :: name = 'base'
  contains
    procedure :: show => show_base
    procedure :: twice
  end type
  type, extends(base) :: child
    real :: w(2) = [1.5, 2.5]
    integer, allocatable :: list(:)
  contains
    procedure :: show => show_child
  end type
  type :: node
    integer :: v
    type(node), pointer :: next => null()
  end type
  abstract interface
    function fun(x) result(y)
      real(8), intent(in) :: x
      real(8) :: y
    end function
  end interface
  interface area
    module procedure area_i, area_r
  end interface
contains
  subroutine show_base(self)
    class(base), intent(in) :: self
    print *, 'base', self%id, self%name
  end subroutine
  subroutine show_child(self)
    class(child), intent(in) :: self
    print *, 'child', self%id, self%name, self%w
    call self%base%show()
  end subroutine
  subroutine twice(self)
    class(base), intent(inout) :: self
    self%id = 2*self%id
    call self%show()
  end subroutine
  integer function area_i(a); integer, intent(in) :: a; area_i = a*a; end function
  real function area_r(a); real, intent(in) :: a; area_r = a*a; end function
  recursive integer function fact(n) result(r)
    integer, intent(in) :: n
    if (n <= 1) then; r = 1; else; r = n*fact(n-1); end if
  end function
  function integrate(f, a, b, n) result(s)
    procedure(fun) :: f
    real(8), intent(in) :: a, b
    integer, intent(in) :: n
    real(8) :: s
    integer :: i
    s = 0
    do i = 0, n - 1
      s = s + f(a + (i + 0.5d0)*(b - a)/n)
    end do
    s = s*(b - a)/n
  end function
  function make(n) result(p)
    integer, intent(in) :: n
    integer, pointer :: p(:)
    integer :: i
    allocate (p(n))
    p = [(i*i, i=1, n)]
  end function
  elemental real function sq(x)
    real, intent(in) :: x
    sq = x*x
  end function
  pure function rev(s) result(r)
    character(*), intent(in) :: s
    character(len(s)) :: r
    integer :: i
    do i = 1, len(s)
      r(i:i) = s(len(s)-i+1:len(s)-i+1)
    end do
  end function
  elemental subroutine swap(a, b)
    integer, intent(inout) :: a, b
    integer :: t
    t = a; a = b; b = t
  end subroutine
end module
program s1
  use m
  implicit none
  class(base), allocatable :: o
  type(child) :: ch
  type(node), pointer :: head, p
  integer, pointer :: ip(:)
  integer :: i, j, a(3) = [1,2,3], b(3) = [4,5,6]
  procedure(fun), pointer :: fp
  real :: r(4)
  character(:), allocatable :: str
  character(8) :: words(3)
  type(base) :: arr(2)
  class(*), allocatable :: any
  allocate (child :: o)
  call o%show(); call o%twice()
  deallocate (o); allocate (o, source=base(id=7))
  call o%twice()
  ch%list = [1, 2, 3]
  call ch%twice()
  print *, ch%list, size(ch%list)
  print *, area(3), area(2.5), fact(10)
  print *, integrate(quad, 0d0, 1d0, 100)
  fp => quad
  print *, integrate(fp, 0d0, 2d0, 10), fp(3d0)
  nullify (head)
  do i = 1, 4
    allocate (p); p%v = i; p%next => head; head => p
  end do
  p => head
  do while (associated(p))
    print *, p%v; p => p%next
  end do
  ip => make(4); print *, ip
  r = sq([1.0, 2.0, 3.0, 4.0]); print *, r, sq(1.5)
  print *, rev('hello'), '|', rev('ab ')
  call swap(a, b); print *, a, b
  call swap(a(1), b(3)); print *, a, b
  str = 'abc'; str = str//'defg'; print *, str, len(str)
  words = 'x'; words(2) = rev('world'); print *, words
  print *, (words(i)(1:3), i=1,3), trim(words(2))//'!'
  arr%id = [5, 6]; arr(2)%name = 'long name'
  print *, arr
  do i = 1, 2; call arr(i)%show(); end do
  outer: do i = 1, 3
    do j = 1, 3
      if (j == 2) cycle outer
      if (i == 3) exit outer
      print *, i, j
    end do
  end do outer
  print *, i, j
  select case ('b')
  case ('a':'c'); print *, 'a-c'
  case default; print *, 'other'
  end select
  blk: block
    integer :: k
    k = 5
    if (k > 3) exit blk
    print *, 'never'
  end block blk
  allocate (any, source=3.5d0)
  select type (any)
  type is (integer); print *, 'int', any
  type is (real(8)); print *, 'r8', any
  class default; print *, '?'
  end select
  associate (q => a(2), w => a + b)
    q = 100; print *, a, w
  end associate
  print *, merge('yes', 'no ', a > 50), count(a > 50)
  if (any_neg(-3, 4)) print *, 'neg'
  call opt(1); call opt(1, 2)
  print *, command_argument_count()
  i = 5
  call inner(i)
  print *, i
contains
  function quad(x) result(y)
    real(8), intent(in) :: x
    real(8) :: y
    y = x*x + i*0
  end function
  logical function any_neg(x, y)
    integer, intent(in) :: x, y
    any_neg = x < 0 .or. y < 0
  end function
  subroutine opt(x, y)
    integer, intent(in) :: x
    integer, intent(in), optional :: y
    if (present(y)) then; print *, x, y; else; print *, x; end if
  end subroutine
  recursive subroutine inner(n)
    integer, intent(inout) :: n
    integer :: loc
    loc = n
    n = n - 1
    if (n > 0) call inner(n)
    print *, 'inner', loc, n
  end subroutine
end program
