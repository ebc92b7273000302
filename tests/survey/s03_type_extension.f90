program survey
  implicit none
  type :: p
    integer :: i = 1
  end type
  type, extends(p) :: c
    integer :: j = 2
  end type
  type(c) :: x
  x%p%i = 5
  print '(i0,1x,i0)', x%i, x%j
end program survey
