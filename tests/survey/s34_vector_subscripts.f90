program survey
  implicit none
  integer :: a(5) = [10, 20, 30, 40, 50], k(3) = [5, 1, 3]
  print '(3(i0,1x))', a(k)
  a(k) = [1, 2, 3]
  print '(5(i0,1x))', a
end program survey
