program survey
  implicit none
  character(len=7) :: a
  character(len=:), allocatable :: b
  a = 'abc'
  b = a // 'de'
  print '(a,i0,1x,i0)', '[' // b // ']', len(b), len_trim(a)
end program survey
