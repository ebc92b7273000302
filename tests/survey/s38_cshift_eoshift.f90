program survey
  implicit none
  integer :: a(5) = [1, 2, 3, 4, 5]
  print '(5(i0,1x))', cshift(a, 2), eoshift(a, -1), eoshift(a, 2, boundary=9)
end program survey
