program survey
  implicit none
  integer :: a(3, 3), i, j
  data ((a(i, j), i = 1, 3), j = 1, 3) /3*1, 3*2, 3*3/
  print '(9(i0,1x))', a
end program survey
