program survey
  use, intrinsic :: ieee_arithmetic
  implicit none
  real :: x, z
  z = 0.0
  x = 1.0/(z + tiny(z)*0.0)
  print '(3l2)', ieee_is_finite(x), ieee_is_nan(x), ieee_is_finite(1.0)
end program survey
