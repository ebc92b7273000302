program survey
  implicit none
  print '(2(i0,1x))', fact(10), fib(15)
contains
  recursive integer function fact(n) result(r)
    integer, intent(in) :: n
    r = 1
    if (n > 1) r = n*fact(n - 1)
  end function
  recursive integer function fib(n) result(r)
    integer, intent(in) :: n
    if (n < 2) then
      r = n
    else
      r = fib(n - 1) + fib(n - 2)
    end if
  end function
end program survey
