program survey
  implicit none
  print '(i6,i6.4,f9.3,e12.4,es12.4,g12.4,l3,a5,2x,a)', 42, 42, 3.14159, 31415.9, 31415.9, 0.5, .true., 'abc', 'end'
  print '(2(i3,/),a)', 1, 2, 'x'
  print '(t5,a,tr2,a)', 'tab', 'bed'
  print '(3(f4.1,:,","))', 1.0, 2.0, 3.0
end program survey
