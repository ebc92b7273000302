program p
 integer :: a(20), i, n
 n = 5
 a = 0
 do i = 1, n
  n = n + 1
  a(i) = n
 end do
 print *, a, n, i
end program
