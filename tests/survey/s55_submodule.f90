module work
  implicit none
  interface
    module integer function twice(i)
      integer, intent(in) :: i
    end function
  end interface
end module
submodule (work) impl
contains
  module procedure twice
    twice = 2*i
  end procedure
end submodule
program survey
  use work
  implicit none
  print '(i0)', twice(21)
end program survey
