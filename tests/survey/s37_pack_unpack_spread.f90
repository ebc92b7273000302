program survey
  implicit none
  integer :: a(4) = [1, -2, 3, -4]
  print '(2(i0,1x))', pack(a, a > 0)
  print '(4(i0,1x))', unpack([7, 8], a < 0, a)
  print '(6(i0,1x))', spread([1, 2, 3], 1, 2)
end program survey
