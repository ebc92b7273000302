program t
  integer(1) :: b = 3; integer(2) :: s = -4; integer(8) :: l = 5; integer :: i
  real :: x(12) = [(1.5*i, i=1,12)]; complex :: c = (1.0,-2.5); complex(8) :: z=(1d100,0)
  character(100) :: str
  print *, b, s, 1, l, 1.0, 1d0, .true., 'abc', 'def', 1, 'x', .false., 'y', c, z
  print *, c
  print *, z
  print *, 'a', c, 'b'
  print *, (i, i=1,20)
  print *, x
  print *, [(i*1d0, i=1,7)]
  str = repeat('0123456789', 10)
  print *, str
  print *, 1, str, 2
  print *, 1, 2, 3, 4, 5, 'abcdefghi', 'abcdefghijklmnopq', 3
  print *, [(i>3, i=1,50)]
  print *, [(c, i=1,5)]
  print *, 1e10, 1e-10, 0.1, 0.09999999, 123456789.0, 12345678.0, 1e20, 99999.99, -0.0, 999999999.
  print *, 1d16, 1d17, 1d18, 0.1d0, 0.01d0, 1d-100, 1d100, -1d200, 12345.678d0
  print *, 'it''s', ''
  print *
  print *, ''
  print *, [character(3) :: 'a', 'b'], [1,2]
  write(*,*) huge(1), -huge(1)-1, huge(1_8), -huge(1_8)-1
  print '(g0,1x,g0,1x,g0,1x,g0,1x,g0,1x,g0)', 1, 1.0, 1d0, .true., 'abc', 1e20
  print '(g0,1x,g0,1x,g0,1x,g0)', 1d20, 1d-100, 0.01, c
  print '(g0.4,1x,g0.4,1x,g0.3,1x,g0.2)', 1d20, 1d0, 0.01, c
  print '(*(g0,","))', 1, 2.5, 'x', .false.
  write(str,*) 1, 2.5
  print '(a,"|")', str
end
