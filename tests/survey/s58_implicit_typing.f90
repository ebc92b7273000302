program survey
  implicit real (a-h), integer (i-n)
  alpha = 1.5
  k = 3
  print '(f4.1,i2)', alpha, k
end program survey
