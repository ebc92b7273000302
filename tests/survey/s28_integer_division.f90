program survey
  implicit none
  integer :: i
  i = 0
  print '(6(i0,1x))', (-7 + i)/2, mod(-7 + i, 3), modulo(-7 + i, 3), (7 + i)/(-2), mod(7 + i, -3), modulo(7 + i, -3)
end program survey
