program survey
  implicit none
  real(8) :: d(3, 4)
  print '(6(i0,1x))', kind(d), size(d), shape(d), digits(1.0), precision(1d0)
  print '(2es12.4)', epsilon(1.0), huge(1.0)
end program survey
