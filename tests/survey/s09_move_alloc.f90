program survey
  implicit none
  real, allocatable :: a(:), b(:)
  a = [1.0, 2.0]
  call move_alloc(a, b)
  print '(2l2,2f4.1)', allocated(a), allocated(b), b
end program survey
