! do-variables after loops, zero-trip loops, exits from nested constructs, saved and block variables, recursion.
program control
  implicit none
  integer :: i, j, k
  real :: x
  do i = 1, 5, 2
  end do
  print *, i
  do i = 5, 1
    print *, 'never'
  end do
  print *, i
  do i = 10, 1, -4
    if (i == 6) exit
  end do
  print *, i
  outer: do i = 1, 3
    inner: do j = 1, 3
      if (j == 2) cycle outer
      if (i == 3) exit outer
    end do inner
  end do outer
  print *, i, j
  check: if (i > 0) then
    if (j > 0) exit check
    print *, 'never'
  end if check
  do k = 1, 3
    block
      integer, save :: calls = 0
      integer :: fresh(k)
      fresh = k
      calls = calls + sum(fresh)
      print *, calls, size(fresh)
    end block
  end do
  x = 1
  do while (x < 100)
    x = 3*x
    if (x == 9) cycle
    if (x > 50) exit
  end do
  print *, x
  select case (i)
  case (:0)
    print *, 'low'
  case (1, 3)
    print *, 'one or three'
  case default
    print *, 'else'
  end select
  print *, ackermann(2, 3), fibonacci(12)
  call counted(); call counted()
contains
  recursive integer function ackermann(m, n) result(r)
    integer, intent(in) :: m, n
    if (m == 0) then
      r = n + 1
    else if (n == 0) then
      r = ackermann(m - 1, 1)
    else
      r = ackermann(m - 1, ackermann(m, n - 1))
    end if
  end function
  recursive function fibonacci(n) result(r)
    integer, value :: n
    integer :: r
    r = n
    if (n > 1) r = fibonacci(n - 1) + fibonacci(n - 2)
  end function
  subroutine counted()
    integer :: count = 0
    count = count + 1
    print *, 'called', count
    if (count > 1) return
    print *, 'first'
  end subroutine
end program
