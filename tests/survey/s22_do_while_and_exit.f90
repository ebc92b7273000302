program survey
  implicit none
  integer :: n, k
  n = 27
  k = 0
  do while (n /= 1)
    if (mod(n, 2) == 0) then
      n = n/2
    else
      n = 3*n + 1
    end if
    k = k + 1
    if (k > 500) exit
  end do
  print '(i0)', k
end program survey
