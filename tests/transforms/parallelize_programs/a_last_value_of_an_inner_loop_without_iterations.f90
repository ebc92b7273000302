program p
 integer :: a(10), b(10,10), i, k, t
 a = [(k*k, k = 1, 10)]
 t = -1
 do i = 1, 10
  do k = i, 7
   t = a(k) + i
   b(k, i) = 0
  end do
 end do
 print *, t, i
end program
