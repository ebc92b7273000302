module m
contains
 pure subroutine put(x, i)
  integer, intent(out) :: x
  integer, intent(in) :: i
  if (i > 5) x = i
 end subroutine
 pure subroutine put2(x, i)
  integer, intent(inout) :: x
  integer, intent(in) :: i
  if (i > 5) return
  x = i
 end subroutine
end module
program p
 use m
 integer :: a(10), i, t
 t = 77
 do i = 1, 10
  call put2(t, i)
  a(i) = t
 end do
 print *, a, t
end program
