program survey
  implicit none
  integer :: u, i, s, v
  open (newunit=u, status='scratch', action='readwrite')
  do i = 1, 3
    write (u, '(i4)') i*i
  end do
  rewind (u)
  s = 0
  do
    read (u, *, iostat=i) v
    if (i /= 0) exit
    s = s + v
  end do
  close (u)
  print '(i0)', s
end program survey
