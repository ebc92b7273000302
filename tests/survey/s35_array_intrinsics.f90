program survey
  implicit none
  integer :: a(2, 3)
  a = reshape([3, 1, 4, 1, 5, 9], [2, 3])
  print '(9(i0,1x))', sum(a), product(a(:, 1)), maxval(a, dim=1), minloc(a), count(a > 2)
  print '(4l2)', any(a > 8), all(a > 0), any(a == 4, dim=2)
end program survey
