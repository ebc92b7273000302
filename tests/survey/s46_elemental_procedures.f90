program survey
  implicit none
  real :: x(3) = [1.0, 4.0, 9.0]
  print '(3f5.1)', half(x)
  call double(x)
  print '(3f5.1)', x
contains
  elemental real function half(v)
    real, intent(in) :: v
    half = 0.5*v
  end function
  elemental subroutine double(v)
    real, intent(inout) :: v
    v = 2.0*v
  end subroutine
end program survey
