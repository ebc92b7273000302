program p
 integer :: a(20), t, u, i
 equivalence (t, u)
 a = 0
 do i = 1, 9
  t = i
  u = 5
  a(t) = a(t) + i
 end do
 print *, a
end program
