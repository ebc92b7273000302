program p
 type t
  integer, pointer :: v(:)
 end type
 type(t) :: x(4)
 integer, target :: s(10)
 integer :: i, j
 s = 0
 do i = 1, 4
  x(i)%v => s
 end do
 do i = 1, 4
  do j = 1, 10
   x(i)%v(j) = x(i)%v(j)*3 + i
  end do
 end do
 print *, s
end program
