module consts
  implicit none
  real, parameter :: two_pi = 6.2831853
  integer, protected :: answer = 42
end module
program survey
  use consts, only: tau => two_pi, answer
  implicit none
  print '(f8.5,1x,i0)', tau, answer
end program survey
