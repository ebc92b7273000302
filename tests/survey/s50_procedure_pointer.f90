program survey
  implicit none
  procedure(f1), pointer :: p
  p => f1
  print '(i0)', p(3)
  p => f2
  print '(i0)', p(3)
contains
  integer function f1(i)
    integer, intent(in) :: i
    f1 = i + 1
  end function
  integer function f2(i)
    integer, intent(in) :: i
    f2 = 10*i
  end function
end program survey
