program survey
  implicit none
  integer, allocatable :: i
  print '(l1)', allocated(i)
  i = 5
  print '(l1,1x,i0)', allocated(i), i
  deallocate (i)
  print '(l1)', allocated(i)
end program survey
