program survey
  implicit none
  enum, bind(c)
    enumerator :: red = 4, blue, green = 9
  end enum
  print '(3(i0,1x))', red, blue, green
end program survey
