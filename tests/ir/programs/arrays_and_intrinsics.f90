module shapes
  implicit none
  type pt
    real(8) :: x = 0, y = 0
    integer :: tag(2) = 0
  end type
contains
  subroutine total(a, n, m, s)
    integer, intent(in) :: n, m
    real(8), intent(in) :: a(n, m)
    real(8), intent(out) :: s
    s = sum(a) + a(n, m)
  end subroutine
  subroutine fill(a, lo)
    integer, intent(in) :: lo
    integer, intent(out) :: a(lo:)
    integer :: i
    do i = lbound(a, 1), ubound(a, 1)
      a(i) = i
    end do
  end subroutine
  subroutine chars(c, n)
    integer, intent(in) :: n
    character(3), intent(inout) :: c(n)
    c(1) = 'zz'
    c(n)(2:3) = '!!'
  end subroutine
  function outer(a, b) result(r)
    real(8), intent(in) :: a(:), b(:)
    real(8) :: r(size(a), size(b))
    integer :: i
    do i = 1, size(b)
      r(:, i) = a*b(i)
    end do
  end function
end module
program a1
  use shapes
  implicit none
  integer, parameter :: dp = kind(1d0)
  real(dp) :: a(4, 5), b(5), s, v(3)
  real(4) :: r4(7)
  integer :: i, j, k(6), idx(3) = [3, 1, 2], m(2, 3), l3(2,3,2)
  logical :: mask(4, 5)
  character(3) :: names(4) = ['abc', 'de ', 'f  ', 'ghi']
  complex(dp) :: z(3), w
  type(pt) :: p(3), q
  integer, allocatable :: al(:), al2(:, :)
  real(dp), allocatable :: g(:)
  character(12) :: cc
  a = reshape([((i*1.1_dp + j*0.37_dp, i=1,4), j=1,5)], [4, 5])
  call total(a(2:3, ::2), 2, 3, s); print *, s
  call total(a(1, 2), 2, 2, s); print *, s
  call fill(k(2:6:2), -1); print *, k(2:6:2)
  call chars(names(2:), 3); print *, names
  print *, outer([1._dp, 2._dp], [3._dp, 4._dp, 5._dp])
  v = [1.1_dp, 2.3_dp, -7.7_dp]
  print *, norm2(v), norm2(a), norm2(a, 1)
  print *, sum(a, 1), product(a, dim=2), maxval(a), minloc(a), maxloc(a, 1)
  mask = a > 3
  print *, count(mask, 1), any(mask, 2), all(mask), pack(a, mask)
  print *, sum(a, mask=mask), maxval(a, dim=1, mask=.not. mask)
  print *, dot_product(v, v)
  r4 = [(1.0/i, i=1,7)]
  print *, sum(r4), product(r4), r4**2, r4**3, r4**(-3), r4**0.5, 2.0**r4
  do i = -4, 4
    write (*, '(*(g0,1x))') 1.7_dp**i, 1.3**i, (-2)**i, (0.3_dp, 1.1_dp)**i
  end do
  z = [(1._dp, 2._dp), (-1.5_dp, 0.2_dp), (0._dp, -1._dp)]
  print *, z*z(3:1:-1), z/z(3:1:-1), abs(z), exp(z), sqrt(z), log(z), conjg(z), aimag(z)
  print *, z**2, z**0.5_dp, z**z, sin(z), cos(z), tan(z), sinh(z), cosh(z), tanh(z), asin(z), acos(z), atan(z)
  w = sum(z); print *, w, product(z), dot_product(z, z)
  print *, cmplx(1, 2), cmplx(z(1)), real(z), real(z, 4), int(z(2)), z(1) == z(1)
  print *, exp(r4), log(r4), sin(r4), cos(r4), tan(r4), atan2(r4, r4(7:1:-1)), gamma(r4), erf(r4)
  print *, bessel_j0(v(:2)), log_gamma(v(:2)), hypot(v, v(3:1:-1))
  p%x = v; p(2)%tag = [7, 8]; p(:)%tag(1) = [1, 2, 3]
  print *, p
  p(idx) = p; print *, p%x, p%tag(2)
  q = p(3); p = q; print *, p(1)%x, p(3)%tag
  p(2:3) = [pt(1, 2, [3, 4]), pt(y=5)]; print *, p
  print *, cshift(p%x, 1), eoshift(p%tag(1), 1, 9), spread(k(1:2), 1, 2)
  al = [1, 2, 3]; al = [al, 4]; print *, al, lbound(al), ubound(al)
  allocate (al2(0:1, -1:1), source=5); al2(0, :) = [1, 2, 3]; print *, al2, lbound(al2), shape(al2)
  al = pack(al2, al2 < 5); print *, al
  where (al > 1)
    al = al*10
  elsewhere
    al = -1
  end where
  print *, al
  forall (i=1:2, j=1:3, i /= j) m(i, j) = 10*i + j
  forall (i=1:2) m(i, i) = 0
  print *, m
  l3 = reshape([(i, i=1, 12)], [2, 3, 2]); print *, sum(l3, 2), maxloc(l3), reshape(l3, [3, 4], order=[2, 1])
  print *, findloc([1, 2, 3, 2], 2), findloc([1, 2, 3, 2], 2, back=.true.), minloc([3, 1, 1], back=.true.)
  print *, index('hello world', 'o'), index('hello', 'l', .true.), scan('abcdef', 'xdc'), verify('aabbc', 'ab'), repeat('ab', 3)
  print *, adjustl('  x '), '|', adjustr('x   '), '|', trim('ab  '), len_trim('ab  '), ichar('A'), achar(66), char(67), iachar('z')
  print *, lge('a', 'b'), llt('a', 'b'), 'abc' < 'abd', 'a' == 'a  '
  cc = 'x'//names(1)//'y'; print *, cc, len(cc), cc(2:3), names(:)(1:2)
  print *, transfer(1.0, 1), transfer([1, 0], 1d0), transfer(1078530011, 1.0), transfer('abcd', 1)
  print *, iand(12, 10), ior(12, 10), ieor(12, 10), not(0), ishft(1, 4), ishftc(1, -1), btest(5, 2), ibits(255, 2, 3), popcnt(255), leadz(1), trailz(8)
  print *, mod(-7, 3), modulo(-7, 3), mod(-7.5, 3.0), modulo(-7.5, 3.0), sign(3, -2), dim(5, 3), dim(3., 5.)
  print *, nint(2.5), nint(-2.5), nint(3.49999), floor(-2.5), ceiling(-2.5), aint(-2.7), anint(2.5), int(-2.7)
  print *, huge(1), tiny(1.0), epsilon(1d0), precision(1d0), range(1), digits(1.0), radix(1), kind(1d0)
  print *, spacing(3.0), nearest(1.0, 1.0), exponent(10.0), fraction(10.0), scale(1.5, 3), set_exponent(1.5, 3), rrspacing(3.0)
  print *, merge(1, 2, [.true., .false.]), min(3, 1, 2), max(1.5, 2.5), min('b', 'a')
  print *, selected_int_kind(9), selected_real_kind(15), bit_size(1), maskl(3), maskr(3), shiftl(1, 3), shiftr(-1, 28), shifta(-16, 2)
  print *, is_contiguous(a(:, 1)), is_contiguous(a(1, :)), size(a), size(a, 2), shape(a), rank(a)
  allocate (g(3)); g = 1.5_dp; print *, allocated(g), g; deallocate (g); print *, allocated(g)
  print *, norm2(r4), sum(r4*r4), 1.0_dp/3, 2/3, -7/2, 7.0/2
  print *, unpack([1, 2], [.true., .false., .true.], 0), iall([7, 6]), iany([1, 2]), iparity([1, 3]), parity([.true., .true.])
  print *, storage_size(1d0)
end program
