program survey
  implicit none
  type :: matrix(k, n)
    integer, kind :: k = 4
    integer, len :: n
    real(k) :: a(n, n)
  end type
  type(matrix(4, 3)) :: m
  m%a = 1.0
  print '(f5.1)', sum(m%a)
end program survey
