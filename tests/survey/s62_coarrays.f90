program survey
  implicit none
  integer :: x[*]
  x = this_image()
  print '(i0)', x
end program survey
