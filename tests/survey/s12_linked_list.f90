program survey
  implicit none
  type :: node
    integer :: v
    type(node), pointer :: next => null()
  end type
  type(node), pointer :: head, n
  integer :: i
  head => null()
  do i = 1, 4
    allocate (n)
    n%v = i*i
    n%next => head
    head => n
  end do
  n => head
  do while (associated(n))
    print '(i0)', n%v
    n => n%next
  end do
end program survey
