program survey
  implicit none
  integer :: i
  i = 0
10 i = i + 1
  if (i < 3) go to 10
  if (i == 3) go to 20
  print '(a)', 'skipped'
20 continue
  print '(i0)', i
end program survey
