module m
  type t
    real :: q(100), r(100), s
    real, allocatable :: w(:)
    integer :: n = 100
  end type
  type o
    type(t) :: x(3)
    real :: z(4)
  end type
contains
  subroutine go(s, u)
    type(t), intent(inout) :: s
    type(o), intent(inout) :: u
    integer :: i, j
    do i = 1, s%n
      s%q(i) = i
      s%w(i) = s%q(i) + 1
    end do
    do i = 1, s%n - 1
      s%r(i) = s%q(i + 1)*2 + s%w(i)
    end do
    do i = 1, 100
      s%q(1) = s%r(i)
      s%w(i) = s%q(1)
    end do
    do i = 1, 99
      s%q(i) = s%q(i + 1)
    end do
    do i = 1, 100
      s%s = s%r(i)
      s%q(i) = s%s + 1
    end do
    do j = 1, 3
      do i = 1, 100
        u%x(j)%q(i) = s%q(i)*j
      end do
    end do
    do i = 1, 100
      u%x(1)%q(i) = u%x(2)%q(i) + u%z(mod(i, 4) + 1)
      u%z(mod(i, 4) + 1) = i
    end do
    do i = 1, 50
      u%x(1)%r(i) = total(s) + i
      s%w(i + 50) = i
    end do
    do i = 1, 50
      u%x(2)%r(i) = total(s) + i
      s%q(i + 50) = i
    end do
  end subroutine
  pure real function total(s)
    type(t), intent(in) :: s
    total = s%q(60) + s%r(3)
  end function
end module
program p
  use m
  type(t) :: s
  type(o) :: u
  allocate (s%w(100)); s%w = 0; s%r = 0; s%q = 0; s%s = 0
  u%z = 0
  do i = 1, 3
    u%x(i)%q = 0; u%x(i)%r = 0
  end do
  call go(s, u)
  print *, s%q, s%r, s%s, s%w
  do i = 1, 3
    print *, u%x(i)%q, u%x(i)%r(1:50)
  end do
  print *, u%z
end program
