module m
 integer :: hits = 0
contains
 recursive subroutine a(n, x, y)
  integer, intent(in) :: n
  integer, intent(inout) :: x, y
  if (n == 0) return
  call b(n - 1, y, x)
 end subroutine
 recursive subroutine b(n, x, y)
  integer, intent(in) :: n
  integer, intent(inout) :: x, y
  x = x + n
  hits = hits + 1
  call a(n, x, y)
 end subroutine
end module
program p
 use m
 integer :: x, y, i
 x = 0; y = 0
 do i = 1, 3
  call b(i, x, y)
  call a(i, x, y)
 end do
 print *, x, y, hits
end program
