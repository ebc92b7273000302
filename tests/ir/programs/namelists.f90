program t
  integer :: i = 5, a(3) = [1,2,3], m(2,2)
  real :: x = 1.5; real::r(12)=[(0.5*i,i=1,12)]; real(8) :: d = -2.25d0; logical :: l = .true.; character(5) :: s = 'ab'
 character(5)::q(2)=['x''y  ','z    ']
 complex :: c = (1.0,2.0)
  type p
    integer :: u = 1; real :: v(2) = 2.0
  end type
  type(p) :: t1, t2(2)
  character(200) :: line(20)
  namelist /grp/ i, a, x, d, l, s, c, m, q, t1, t2, r
  namelist /g2/ i, a, s, x
  m = 7
  write(*, grp)
  write(*, nml=grp)
  line=' '
  write(line, g2)
  print '(a)', (trim(line(i)), i=1,8)
  line(1)='&g2 i=3, a=1,2*9 s="hello" x = 2.5 /'
  read(line, nml=g2)
  print *, i, a, s, x
  line(1)='junk'; line(2)=' &g2 a(2) = 77, a(3)=5'; line(3)='  i = 9 ! comment'; line(4)='/'
  read(line, nml=g2)
  print *, i, a
end
