program survey
  implicit none
  print '(i0)', transfer(1.0, 1)
  print '(f6.2)', transfer(1078530011, 1.0)
end program survey
