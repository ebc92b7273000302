program survey
  implicit none
  integer, target :: a(12) = [1,2,3,4,5,6,7,8,9,10,11,12]
  integer, pointer :: p(:, :)
  p(0:2, 1:4) => a
  print '(3(i0,1x))', p(0, 1), p(2, 4), lbound(p, 1)
  p(1, 2) = 99
  print '(i0)', a(5)
end program survey
