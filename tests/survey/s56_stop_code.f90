program survey
  implicit none
  print '(a)', 'before'
  stop 3
  print '(a)', 'after'
end program survey
