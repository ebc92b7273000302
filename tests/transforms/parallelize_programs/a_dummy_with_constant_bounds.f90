module m
contains
 pure subroutine fill(w, k)
  integer, intent(inout) :: w(4)
  integer, intent(in) :: k
  integer :: q
  do q = 1, 4
   w(q) = k*q
  end do
 end subroutine
end module
program p
 use m
 integer :: a(60), i
 a = [(i, i=1,60)]
 do i = 1, 5
  call fill(a(10*i:10*i+3), i)
 end do
 print *, a
 do i = 1, 1
  call fill(a, i)
 end do
 print *, a
 do concurrent (i = 1:1)
  call fill(a(7:10), i)
 end do
 print *, a
end program
