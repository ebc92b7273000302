program p
 integer, allocatable :: a(:), b(:)
 integer :: i
 allocate(b(5)); b = 1
 do i = 1, 5
  a = b
  b(i) = a(i) + size(a)
 end do
 print *, b, lbound(a), ubound(a)
end program
