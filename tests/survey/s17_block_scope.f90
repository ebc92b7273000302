program survey
  implicit none
  integer :: i
  i = 1
  block
    integer :: i
    i = 5
    print '(i0)', i
  end block
  print '(i0)', i
end program survey
