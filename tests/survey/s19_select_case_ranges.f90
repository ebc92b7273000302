program survey
  implicit none
  integer :: i
  do i = -2, 6, 2
    select case (i)
    case (:-1)
      print '(a)', 'negative'
    case (0)
      print '(a)', 'zero'
    case (1:4)
      print '(a)', 'small'
    case default
      print '(a)', 'large'
    end select
  end do
end program survey
