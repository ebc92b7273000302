program survey
  implicit none
  print '(2f6.2)', apply(sq, 3.0), apply(cu, 2.0)
contains
  real function apply(f, x)
    interface
      real function f(v)
        real, intent(in) :: v
      end function
    end interface
    real, intent(in) :: x
    apply = f(x)
  end function
  real function sq(v)
    real, intent(in) :: v
    sq = v*v
  end function
  real function cu(v)
    real, intent(in) :: v
    cu = v**3
  end function
end program survey
