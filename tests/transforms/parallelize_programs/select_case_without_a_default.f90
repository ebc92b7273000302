program p
 integer :: a(10), i, t
 t = 5
 do i = 1, 10
  select case (mod(i,4))
  case (0:1)
   t = i
  case (2)
   t = -i
  end select
  a(i) = t
 end do
 print *, a
 do i = 1, 10
  select case (mod(i,4))
  case (0:1)
   t = i
  case default
   t = -i
  end select
  a(i) = t
 end do
 print *, a, t
end program
