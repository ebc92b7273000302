program p
 type t
  integer, pointer :: v(:)
 end type
 type(t) :: x
 integer, target :: s(0:10)
 integer, pointer :: q(:)
 integer :: i
 s = [(i, i=0,10)]
 x%v => s(1:10)
 q => s(0:9)
 do i = 1, 10
  x%v(i) = q(i) + 1
 end do
 print *, s
 n = 3
 do i = 2, 10
  x%v(1) = i
  s(q(2)) = i*i
 end do
 print *, s
end program
