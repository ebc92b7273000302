program survey
  implicit none
  call a
  call b
contains
  subroutine a
    print '(a)', 'a'
    entry b
    print '(a)', 'b'
  end subroutine
end program survey
