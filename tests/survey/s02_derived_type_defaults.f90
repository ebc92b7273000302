program survey
  implicit none
  type :: t
    integer :: i = 4
    real :: x(2) = [1.0, 2.0]
  end type
  type(t) :: a, b(2)
  b(2)%i = a%i + 1
  b(1) = t(7)
  print '(3(i0,1x),4f5.1)', a%i, b%i, b(1)%x, b(2)%x
end program survey
