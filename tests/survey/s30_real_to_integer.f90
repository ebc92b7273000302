program survey
  implicit none
  real :: x(4) = [2.5, -2.5, 3.5, -0.5]
  print '(4(i0,1x))', int(x), nint(x), floor(x), ceiling(x)
end program survey
