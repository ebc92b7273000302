module m
  implicit none
  type :: vec
    real :: x = 0.0, y = 0.0
  contains
    procedure :: norm
    procedure, private :: add
    generic :: operator(+) => add
  end type
contains
  real function norm(self)
    class(vec), intent(in) :: self
    norm = sqrt(self%x**2 + self%y**2)
  end function
  type(vec) function add(a, b)
    class(vec), intent(in) :: a
    type(vec), intent(in) :: b
    add = vec(a%x + b%x, a%y + b%y)
  end function
end module
program survey
  use m
  implicit none
  type(vec) :: a, b
  a = vec(3.0, 0.0)
  b = vec(0.0, 4.0)
  b = a + b
  print '(3f5.1)', b%x, b%y, b%norm()
end program survey
