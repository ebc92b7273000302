program survey
  implicit none
  integer :: a(4, 4), i, j
  forall (i = 1:4, j = 1:4, i /= j) a(i, j) = 10*i + j
  forall (i = 1:4) a(i, i) = -i
  where (a < 0)
    a = 0
  elsewhere (a > 30)
    a = 1
  elsewhere
    a = 2
  end where
  print '(4i3)', a
end program survey
