program survey
  implicit none
  character(len=20) :: t
  integer :: i
  real :: x
  write (t, '(i4.4,f8.3)') 42, 3.14159
  print '(a)', t
  read (t, '(i4,f8.3)') i, x
  print '(i0,f7.3)', i, x
end program survey
