program survey
  implicit none
  integer :: i
  real :: x
  character(len=80) :: t
  namelist /cfg/ i, x
  i = 3
  x = 0.5
  t = '&cfg i = 7, x = 2.25 /'
  read (t, nml=cfg)
  print '(i0,f6.2)', i, x
end program survey
