program p
 logical(1) :: l(10)
 logical :: any_
 integer :: i
 any_ = .false.
 do i = 1, 10
  l(i) = mod(i, 3) == 0
  any_ = any_ .or. l(i)
 end do
 print *, l, any_
end program
