program survey
  implicit none
  real :: a(2, 3), b(3, 2)
  a = reshape([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])
  b = transpose(a)
  print '(4f6.1)', matmul(a, b)
  print '(f6.1)', dot_product(a(1, :), b(:, 2))
end program survey
