program p
 integer :: a(10), i, t
 t = 9
 do concurrent (i = 1:10)
  t = i*i
  a(i) = t
 end do
 print *, a
end program
