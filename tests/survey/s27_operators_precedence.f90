program survey
  implicit none
  print '(i0,1x,i0,1x,i0)', -2**2, 2**3**2, 7 - 3 - 2
  print '(3l2)', .not. .true. .or. .true., 1 + 1 == 2 .and. 3 > 2, .true. .neqv. .false.
end program survey
