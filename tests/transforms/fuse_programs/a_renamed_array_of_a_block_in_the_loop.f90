program p
  implicit none
  real(8) :: q(12), f(12)
  integer :: t, i, n
  n = 12
  do i = 1, 12
    q(i) = mod(i*i, 7)
    f(i) = 0
  end do
  do t = 1, 4
    block
      real(8) :: w(n)
      do concurrent (i = 1:12)
        w(i) = q(i)
      end do
      print *, w(2)
      do concurrent (i = 1:11)
        f(i) = w(i + 1) - w(i)
      end do
      do concurrent (i = 2:11)
        w(i) = w(i) + 0.125d0*(f(i) - f(i - 1))
      end do
      q(:) = w(:)
    end block
  end do
  print *, q, f
end program
