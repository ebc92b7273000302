program survey
  implicit none
  real :: a(3, 3), z
  a = 1.0
  associate (row => a(2, :), c => a(1, 1) + 4.0)
    row = 7.0
    z = c
  end associate
  print '(3f5.1)', sum(a), z, a(2, 3)
end program survey
