program survey
  implicit none
  complex :: z
  z = (3.0, 4.0)
  print '(4f7.3)', abs(z), real(z*conjg(z)), aimag(z**2), real(sqrt(z))
end program survey
