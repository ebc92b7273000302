program p
 type t
  integer :: x, y
 end type
 type(t) :: a(0:20), q
 integer :: b(20), i
 q%x = 7; q%y = 1
 do i = 0, 20
  a(i)%x = i; a(i)%y = 2*i
 end do
 do i = 1, 19
  q%x = i
  a(i+1) = t(i*10, i)
  b(i) = a(i)%x
 end do
 print *, b(1:19)
 print *, a%x
end program
