program p
 type t
  real(8) :: q(0:12), f(0:12)
 end type
 type(t) :: s, keep
 integer :: step, i
 s%q = [(0.1d0*mod(i*i+3,11), i=0,12)]
 s%f = 0
 keep = s
 do step = 1, 4
  do concurrent (i = 0:11)
   s%f(i) = s%q(i+1)/3 - s%q(i)
  end do
  do concurrent (i = 1:11)
   s%q(i) = s%q(i) + 0.125d0*(s%f(i) - s%f(i-1))
  end do
  if (step == 2) then
    keep = s
  end if
 end do
 print *, s, keep
end program
