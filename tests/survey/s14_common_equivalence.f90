program survey
  implicit none
  integer :: i(4), j(2, 2)
  common /blk/ i
  equivalence (i, j)
  i = [1, 2, 3, 4]
  j(2, 1) = 20
  call show
end program survey
subroutine show
  implicit none
  integer :: k(4)
  common /blk/ k
  print '(4(i0,1x))', k
end subroutine show
