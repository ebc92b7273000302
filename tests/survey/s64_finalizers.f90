module tracked
  implicit none
  type :: thing
    integer :: i = 0
  contains
    final :: gone
  end type
contains
  subroutine gone(t)
    type(thing), intent(inout) :: t
    print '(a,i0)', 'gone ', t%i
  end subroutine
end module
program survey
  use tracked
  implicit none
  call scope
contains
  subroutine scope
    type(thing) :: t
    t%i = 3
    print '(a)', 'inside'
  end subroutine
end program survey
