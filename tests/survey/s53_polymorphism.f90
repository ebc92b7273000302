module shapes
  implicit none
  type, abstract :: shape
  contains
    procedure(area_of), deferred :: area
  end type
  abstract interface
    real function area_of(self)
      import :: shape
      class(shape), intent(in) :: self
    end function
  end interface
  type, extends(shape) :: square
    real :: a = 2.0
  contains
    procedure :: area => square_area
  end type
  type, extends(shape) :: disc
    real :: r = 1.0
  contains
    procedure :: area => disc_area
  end type
contains
  real function square_area(self)
    class(square), intent(in) :: self
    square_area = self%a**2
  end function
  real function disc_area(self)
    class(disc), intent(in) :: self
    disc_area = 3.0*self%r**2
  end function
end module
program survey
  use shapes
  implicit none
  class(shape), allocatable :: s
  s = square(3.0)
  print '(f6.2)', s%area()
  deallocate (s)
  allocate (disc :: s)
  print '(f6.2)', s%area()
  select type (s)
  type is (disc)
    print '(a,f4.1)', 'disc', s%r
  class default
    print '(a)', 'other'
  end select
end program survey
