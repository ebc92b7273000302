program survey
  implicit none
  integer :: a(3, 4)
  a = 1
  call shape_of(a(:, 2:))
  call total(a, 12)
contains
  subroutine shape_of(x)
    integer, intent(inout) :: x(0:, :)
    x(0, 1) = 50
    print '(4(i0,1x))', lbound(x), ubound(x)
  end subroutine
  subroutine total(x, n)
    integer, intent(in) :: n, x(*)
    print '(i0)', sum(x(:n))
  end subroutine
end program survey
