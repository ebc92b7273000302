program p
 integer :: a(10), k, t
 t = 0
 do k = 1, 10
  block
   integer :: u
   u = k
   call bump(u)
   a(k) = u
   t = u
  end block
 end do
 print *, a, t, k
contains
 pure subroutine bump(x)
  integer, intent(inout) :: x
  x = x + 1
 end subroutine
end program
