program p
 integer :: a(10), i
 do i = 1, 10
  block
   integer, save :: k = 0
   k = k + 1
   a(i) = k*k
  end block
 end do
 print *, a
end program
