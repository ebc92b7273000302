program survey
  implicit none
  character(len=10) :: s = ' hello  '
  print '(a,a,a)', '[', trim(adjustl(s)), ']'
  print '(5(i0,1x))', index(s, 'l'), index(s, 'l', back=.true.), scan(s, 'xyzo'), verify(s, ' h'), ichar('A')
  print '(a)', repeat('ab', 3)
end program survey
