program p
 integer :: t(3), a(10), i
 do i = 1, 10
  t = i
  t(2) = 3
  a(i) = sum(t)
 end do
 print *, a, t
end program
