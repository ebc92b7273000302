program survey
  implicit none
  call show(1)
  call show(b=2, a=3)
contains
  subroutine show(a, b)
    integer, intent(in) :: a
    integer, intent(in), optional :: b
    if (present(b)) then
      print '(2(i0,1x))', a, b
    else
      print '(i0)', a
    end if
  end subroutine
end program survey
