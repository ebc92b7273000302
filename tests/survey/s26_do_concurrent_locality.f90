program survey
  implicit none
  integer :: i, t, s
  integer :: a(6)
  t = 5
  do concurrent (i = 1:6) local(t)
    t = i*i
    a(i) = t
  end do
  s = 0
  do concurrent (i = 1:6) reduce(+: s)
    s = s + a(i)
  end do
  print '(8(i0,1x))', a, t, s
end program survey
