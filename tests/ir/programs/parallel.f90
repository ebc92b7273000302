! do concurrent with local, local_init, a mask and a reduction: the result must not depend on the order of iterations.
program parallel
  implicit none
  integer, parameter :: n = 6
  integer :: i, j, t, k, total, biggest, a(n), m(n, n)
  logical :: all_even
  t = 100
  k = 7
  total = 0
  biggest = -huge(1)
  all_even = .true.
  do concurrent (i = 1:n) local(t) local_init(k)
    t = i*i
    k = k + i
    a(i) = t + 1000*k
  end do
  print *, a, t, k
  do concurrent (i = 1:n, j = 1:n, mod(i + j, 2) == 0) reduce(+:total) reduce(max:biggest) reduce(.and.:all_even)
    m(i, j) = i*10 + j
    total = total + m(i, j)
    biggest = max(biggest, m(i, j))
    all_even = all_even .and. mod(i + j, 2) == 0
  end do
  print *, total, biggest, all_even
  i = 42
  do concurrent (integer :: i = n:1:-2)
    a(i) = -a(i)
  end do
  print *, a, i
end program
