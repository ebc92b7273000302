program survey
  implicit none
  print *, 1, 2.5, .true., 'text', (1.0, -2.0)
  print *, 1.0d0/3, 1e10, 1e-10
  print *, [1, 2, 3]
end program survey
