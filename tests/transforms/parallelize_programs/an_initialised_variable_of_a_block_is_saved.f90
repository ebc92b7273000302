program p
 integer :: a(10), i
 do i = 1, 10
  block
   integer :: k = 3
   a(i) = k
   k = k + i
  end block
 end do
 print *, a
end program
