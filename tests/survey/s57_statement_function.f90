program survey
  implicit none
  real :: f, x
  f(x) = x*x + 1.0
  print '(2f6.2)', f(2.0), f(3.0)
end program survey
