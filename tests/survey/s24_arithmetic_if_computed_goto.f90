program survey
  implicit none
  integer :: i
  do 100 i = 1, 3
    go to (10, 20, 30), i
10  print '(a)', 'one'
    go to 100
20  print '(a)', 'two'
    go to 100
30  print '(a)', 'three'
100 continue
end program survey
