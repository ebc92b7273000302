program survey
  implicit none
  integer :: a(10), i
  a = [(i, i = 1, 10)]
  a(2:10:4) = -a(10:2:-4)
  print '(10(i0,1x))', a
  print '(5(i0,1x))', a(:5)
end program survey
