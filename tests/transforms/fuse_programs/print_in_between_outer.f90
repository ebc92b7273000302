program p
 call s(12)
contains
subroutine s(n)
 integer, intent(in) :: n
 integer :: i, step, o
 real(8) :: q(0:n), f(0:n), w(0:n)
 q = [(0.25d0*mod(i*i+3,11), i=0,n)]
 w = 0
 do o = 1, 3
  if (o == 2) q(3) = 5
  do step = 1, o
   do concurrent (i = 0:n-1)
    f(i) = q(i+1) - q(i)
   end do
   do concurrent (i = 1:n-1)
    q(i) = q(i) + 0.5d0*(f(i) - f(i-1))
   end do
  end do
  print *, q
  w = w + 1
 end do
 print *, w, q
end subroutine
end program
