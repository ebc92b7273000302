program t
  integer :: k
  integer :: a(20)=[(k,k=1,20)], b(9)=[1,1,2,2,2,3,3,3,3]; real(8)::d(8)=[(k*1d0,k=1,8)]; logical :: l(8)=[(k>4,k=1,8)]; complex::c(3)=[(1.,2.),(1.,2.),(3.,4.)]
  character(3) :: s(7)=['a','b','b','b','e','f','g']
  integer :: e(12)=[1,1,2,3,4,5,6,6,6,7,8,9]
  namelist /grp/ a,b,d,l,c,s,e
  write(*,grp)
end program
