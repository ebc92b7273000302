program survey
  implicit none
  integer :: i
  print '(4(i0,1x))', [integer :: (i*i, i = 1, 4)]
  print '(3f5.2)', [real :: 1, 2.5, 3]
  print '(3a)', [character(len=3) :: 'a', 'bc', 'def']
end program survey
