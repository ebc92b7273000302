! A function may allocate its argument again: the bounds of the one allocate statement hold no longer.
module m
  implicit none
contains
  integer function grow(a)
    real(8), allocatable, intent(inout) :: a(:)
    real(8), allocatable :: b(:)
    integer :: i
    allocate(b(2*size(a)))
    do i = 1, size(b)
      b(i) = 0.5d0*mod(i*i, 7)
    end do
    call move_alloc(b, a)
    grow = 1
  end function
  subroutine steps(n, nt, out)
    integer, intent(in) :: n, nt
    real(8), intent(inout) :: out(:)
    real(8), allocatable :: s(:), f(:)
    integer :: i, t, k
    allocate(s(n), f(0:2*n))
    k = grow(s)
    do t = 1, nt
      do i = 0, n
        f(i) = s(i + 1) - out(1)
      end do
      do i = 1, n
        s(i) = s(i) + 0.1d0*(f(i) - f(i - 1))
      end do
    end do
    out(1:n) = s(1:n) + s(n + 1)
    print *, size(s), sum(s), k
  end subroutine
end module
program p
  use m
  implicit none
  integer :: n, nt
  real(8) :: out(40)
  out = 1
  do n = 3, 15, 4
    do nt = 0, 3
      call steps(n, nt, out)
      print *, out
    end do
  end do
end program
