program survey
  implicit none
  integer, allocatable :: a(:)
  a = [1, 2]
  a = [a, 3, 4]
  print '(i0,a,4(1x,i0))', size(a), ':', a
end program survey
