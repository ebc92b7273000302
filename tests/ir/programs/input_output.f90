program r1
  implicit none
  integer :: i, j, n, ios, u, a(5), sz
  real(8) :: x, y(4)
  real :: s
  logical :: l
  character(10) :: c, d
  character(80) :: line, msg
  complex :: z
  integer(8) :: k8
  line = ' 12 , 3.5,T "hello w" (1.5,-2)  4*7 8.5 /'
  read (line, *) i, x, l, c, z, a(1:4), y(1)
  print *, i, x, l, c, z, a(1:4), y(1) 
  line = '1,,3 2*5 ,/'
  a = -1
  read (line, *) a
  print *, a
  line = '  123 45.6  1.5e2TRUEabcdefgh'
  read (line, '(i5,f6.1,e6.1,l4,a4,a2)') i, x, s, l, c, d
  print *, i, x, s, l, c, '|', d, '|'
  line = '123456789'
  read (line, '(i2,2x,i3,t1,i1)') i, j, n
  print *, i, j, n
  read (line, '(f5.2)') x
  print *, x
  line = '1.5d2 2.5+1'
  read (line, '(d6.1,f5.0)') x, y(1)
  print *, x, y(1)
  open (newunit=u, file='tmp.txt', status='replace')
  do i = 1, 5
    write (u, '(i3,1x,f6.2,1x,a)') i, i*1.5, 'name'//achar(64+i)
  end do
  write (u, *) 1, 2.5, 'text'
  rewind (u)
  do i = 1, 5
    read (u, *) j, x, c
    print *, j, x, c
  end do
  read (u, '(a)') line
  print '(a)', '['//trim(line)//']'
  read (u, *, iostat=ios, iomsg=msg) j
  print *, ios, trim(msg)
  read (u, *, iostat=ios, iomsg=msg) j
  print *, ios, trim(msg)
  rewind (u)
  read (u, '(i3)', advance='no') i
  read (u, '(f7.2)', advance='no') x
  read (u, '(a)') c
  print *, i, x, c
  read (u, '(a)', advance='no', size=sz, iostat=ios) line
  print *, sz, ios, line(1:20)
  backspace (u)
  read (u, *) i
  print *, i
  inquire (u, opened=l, number=j)
  print *, l, j == u
  close (u, status='delete')
  inquire (file='tmp.txt', exist=l)
  print *, l
  open (newunit=u, file='bin.dat', form='unformatted', access='stream')
  write (u) 1, 2.5d0, 'abc', .true., [1_8, 2_8]
  inquire (u, pos=i, size=j)
  print *, i
  rewind (u)
  read (u) i, x, c(1:3), l, k8
  print *, i, x, c(1:3), l, k8
  read (u, pos=5) x
  print *, x
  close (u, status='delete')
  open (newunit=u, form='unformatted', status='scratch')
  write (u) [1, 2, 3]; write (u) 4.5
  rewind (u)
  read (u) a(1:3); read (u) s
  print *, a(1:3), s
  read (u, iostat=ios) s
  print *, ios
  close (u)
  open (newunit=u, file='dir.dat', access='direct', recl=20, form='formatted')
  do i = 1, 3
    write (u, '(a,i3)', rec=i) 'rec', i
  end do
  read (u, '(3x,i3)', rec=2) j
  print *, j
  close (u, status='delete')
  read (line, *, iostat=ios) x
  print *, ios
  write (line, '(a)') 'x = 17 y = 4'
  i = index(line, '=')
  read (line(i+1:), *) j
  print *, j
  print '(3(i0,:,","))', 1, 2, 3
  write (*, '(a)', advance='no') 'abc'
  write (*, '(a)', advance='no') 'def'
  write (*, *) 'ghi'
  write (*, '(i3)') [1, 2, 3]
  write (*, *)
  write (*, '()')
  print '(a)', 'end'
end program
