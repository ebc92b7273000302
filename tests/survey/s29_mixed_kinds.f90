program survey
  use, intrinsic :: iso_fortran_env
  implicit none
  integer(int8) :: b
  integer(int64) :: l
  real(real32) :: s
  real(real64) :: d
  b = 100_int8
  l = 3000000000_int64
  s = 0.1_real32
  d = s
  print '(i0,1x,i0,1x,f20.17)', b + 1, l + b, d
end program survey
