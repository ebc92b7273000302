program survey
  implicit none
  print '(4(i0,1x))', squares(4)
  print '(i0)', sum(squares(5))
contains
  function squares(n) result(r)
    integer, intent(in) :: n
    integer :: r(n), i
    r = [(i*i, i = 1, n)]
  end function
end program survey
