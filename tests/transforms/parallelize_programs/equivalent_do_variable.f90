program p
 integer :: i, k, a(10)
 equivalence (i, k)
 do i = 1, 10
  a(i) = k*2
 end do
 print *, a
end program
