program survey
  implicit none
  integer, allocatable :: a(:), b(:)
  allocate (a(-1:1), source=[3, 4, 5])
  allocate (b, source=a)
  print '(5(i0,1x))', lbound(b, 1), ubound(b, 1), b
end program survey
