program t
  character(12) :: s(3)
  integer :: i, ios
  character(40) :: msg
  real(8) :: x
  s = '?'
  write(s,*,iostat=ios,iomsg=msg) 1,2,3
  print *, ios, msg
  print '(a)', s
  write(s(1),'(i20)',iostat=ios,iomsg=msg) 1
  print *, ios, msg
  write(s,'(i3/i4)') 1, 2
  print '("[",a,"]")', s
  s(1)='7 8 9'; read(s(1),*,iostat=ios,iomsg=msg) i
  print *, ios, msg
  s(1)='abc'; read(s(1),*,iostat=ios,iomsg=msg) i
  print *, ios, msg
  s(1)='abc'; read(s(1),'(i3)',iostat=ios,iomsg=msg) i
  print *, ios, msg
  s(1)=''; read(s(1),*,iostat=ios,iomsg=msg) i
  print *, ios, msg
  s(1)='1.5x'; read(s(1),*,iostat=ios,iomsg=msg) x
  print *, ios, msg
  open(11,file='nonexist.txt',status='old',iostat=ios,iomsg=msg)
  print *, ios, msg
  print '(g10.3,1x,g0,1x,g0.5,1x,g12.5)', 100, .true., 123456.789d0, 1d-5
  print '(1pg0,1x,g0)', 1.5, 1e-5
  print '(3f8.2)', [1.0,2.0,3.0,4.0]
  print '(a,1x,i0)', 'a', 1, 'b', 2
  print '(2(a,"-"),i0)', 'a','b',5
  print '(i0,:,",")', 1
  print '(f6.3,2x,"end")', 1.0
  print '(*(i0,:,", "))', 1,2,3
  print '(*(i0,", "))', 1,2,3
  print '((i3))', 1,2
  print '(i3,2(1x,i2,(1x,i1)))', 1,2,3,4,5,6,7,8,9
  print "(e0.3,1x,e0.3e2,1x,es0.3,1x,g12.3e3)", 1.5, 1.5,1.5,1e10
  print '(ES24.16E3,1x,ES9.2E1)', 1d0, 1d5
  print '(f0.1)', 0.04, -0.04, 0.96
  print '(f4.1,f5.1)', -0.04, -0.0
  print '(s,i3,sp,i3,f5.1,ss,f5.1)', 1,1,1.,1.
  print '(ru,f4.1,rd,f4.1,rz,f4.1,rn,f4.1,rc,f4.1)', .25,.25,.25,.25,.25
  print '(dc,f5.2)', 1.5
  print '(tr3,i1,t1,i1)', 1,2
  print '(z8.8,1x,z16.16)', 1.0, 1d0
  print '(b0,1x,o0,1x,z4)', -1, -1, -1_1
end
