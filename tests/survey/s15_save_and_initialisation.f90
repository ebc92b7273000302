program survey
  implicit none
  integer :: i
  do i = 1, 3
    call count
  end do
contains
  subroutine count
    integer :: n = 0
    integer, save :: m
    if (n == 0) m = 10
    n = n + 1
    m = m + n
    print '(i0,1x,i0)', n, m
  end subroutine
end program survey
