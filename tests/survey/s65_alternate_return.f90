program survey
  implicit none
  call pick(2, *10, *20)
  print '(a)', 'normal'
  stop
10 print '(a)', 'first'
  stop
20 print '(a)', 'second'
contains
  subroutine pick(i, *, *)
    integer, intent(in) :: i
    return i
  end subroutine
end program survey
