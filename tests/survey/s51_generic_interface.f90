program survey
  implicit none
  interface show
    procedure :: show_i, show_r
  end interface
  call show(3)
  call show(2.5)
contains
  subroutine show_i(i)
    integer, intent(in) :: i
    print '(a,i0)', 'integer ', i
  end subroutine
  subroutine show_r(x)
    real, intent(in) :: x
    print '(a,f4.1)', 'real ', x
  end subroutine
end program survey
