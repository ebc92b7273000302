program p
 integer :: a(10), i, t
 t = 5
 do i = 1, 10
  blk: block
   if (mod(i, 3) == 0) exit blk
   t = i
  end block blk
  a(i) = t
 end do
 print *, a
 do i = 1, 10
  if (mod(i, 3) == 0) cycle
  t = i
  a(i) = t
 end do
 print *, a, t
end program
