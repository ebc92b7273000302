program p
 type t
  integer :: x, y
 end type
 type(t) :: q, a(20)
 integer :: b(20), i
 q = t(5, 6)
 do i = 1, 20
  a(i) = t(i, -i)
 end do
 do i = 1, 20
  b(i) = q%x
  q = a(i)
 end do
 print *, b
end program
