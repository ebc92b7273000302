module m
 integer :: t
end module
program p
 use m
 integer :: a(10), k
 do k = 1, 10
  t = 3*k
  call s(a(k))
 end do
 print *, a
contains
 pure subroutine s(x)
  integer, intent(out) :: x
  x = t + 1
 end subroutine
end program
