program survey
  implicit none
  integer :: i, j
  outer: do i = 1, 4
    do j = 1, 4
      if (j == 3) cycle outer
      if (i == 3) exit outer
      print '(2i2)', i, j
    end do
  end do outer
  print '(2i2)', i, j
end program survey
