module m
 integer :: k = 4
contains
 subroutine s(a, n)
  integer :: a(20), n, i
  do i = 1, n
   a(i) = k
   n = n
  end do
 end subroutine
end module
program p
 use m
 integer :: a(20), j
 a = 0; j = 6
 call s(a, j)
 print *, a
 do j = 1, 6
  do k = 1, 3
   a(j) = a(j) + k
  end do
 end do
 print *, a, k, j
end program
