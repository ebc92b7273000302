program survey
  implicit none
  character(len=3) :: w(3) = ['abc', 'mno', 'xyz']
  integer :: i
  do i = 1, 3
    select case (w(i))
    case ('a':'c')
      print '(a)', 'first'
    case ('xyz')
      print '(a)', 'last'
    case default
      print '(a)', 'other'
    end select
  end do
end program survey
