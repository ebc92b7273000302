program survey
  implicit none
  print '(7(i0,1x))', iand(12, 10), ior(12, 10), ieor(12, 10), ishft(3, 4), ishft(48, -4), ibits(52, 2, 3), popcnt(255)
  print '(2l2)', btest(5, 2), btest(5, 1)
end program survey
