program survey
  implicit none
  integer, pointer :: p => null()
  integer, target :: x = 3, y = 4
  print '(l1)', associated(p)
  p => x
  print '(2l2)', associated(p, x), associated(p, y)
  p = 8
  print '(i0)', x
end program survey
