"""Programs whose loops stand in two subroutines, built from the parts that a test wants to change."""

from __future__ import annotations

from dataclasses import dataclass, fields

TEXT = """module m
  implicit none
  {module}
contains
  subroutine flux({dummies})
    {declared}
    integer :: i
    {before}
    do concurrent (i = 1:n - 1)
      f(i) = {factor}*(q(i + 1) - q(i))
    end do
    {after}
  end subroutine
  subroutine update(q, f, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: q(n)
    real(8), intent(in) :: f(n)
    integer :: i
    do concurrent (i = 2:n - 1)
      q(i) = q(i) + f(i) - f(i - 1)
    end do
  end subroutine
  {procedures}
end module
program p
  use m
  implicit none
  integer :: n, nt, t, k
  real(8) :: dt, c(3)
  real(8), allocatable :: q(:), f(:), r(:, :)
  {main}
  n = 10
  nt = 3
  k = 2
  dt = 0.25d0
  c = [0.5d0, 0.25d0, 0.125d0]
  allocate (q(n), f(n), r(n, 3))
  do t = 1, n
    q(t) = mod(t*t, 7)
    r(t, :) = q(t)
  end do
  f = 0
  {start}
  do t = 1, nt
    {calls}
  end do
  print *, q
  print *, f
  print *, r, dt
end program
"""


@dataclass(frozen=True)
class Parts:
    """What stands in the places of the program."""

    dummies: str = "q, f, n"
    declared: str = "integer, intent(in) :: n\n    real(8), intent(in) :: q(n)\n    real(8), intent(inout) :: f(n)"
    before: str = ""
    after: str = ""
    factor: str = "0.5d0"
    module: str = ""
    procedures: str = ""
    main: str = ""
    start: str = ""
    calls: str = "call flux(q, f, n)\n    call update(q, f, n)"

    @property
    def text(self) -> str:
        """The program."""
        return TEXT.format(**{f.name: getattr(self, f.name) for f in fields(self)})


N = "integer, intent(in) :: n\n    "
Q, F = "real(8), intent(in) :: q(n)\n    ", "real(8), intent(inout) :: f(n)"
SECTION = Parts(
    declared=N + "real(8), intent(in) :: q(0:)\n    real(8), intent(inout) :: f(-1:)",
    before="f(lbound(f, 1)) = size(q) + ubound(q, 1) + ubound(f, 1)",
    main="real(8) :: a(0:30, 2), g(10)",
    calls="call flux(a(2:20:2, k), g, 9)\n    call update(g, f, 9)",
)
APPLIED = {
    "assumed_shape": Parts(
        dummies="q, f",
        declared="real(8), intent(in) :: q(:)\n    real(8), intent(inout) :: f(0:)\n    integer :: n",
        before="",
        calls="call kernel_flux(q, f)\n    call update(q, f, n)",
        procedures="subroutine kernel_flux(q, f)\n    real(8), intent(in) :: q(0:)\n    real(8), intent(inout) :: f(0:)\n"
        "    integer :: i\n    do concurrent (i = 0:ubound(q, 1) - 1)\n      f(i) = q(i + 1) - q(i)\n    end do\n  end subroutine",
    ),
    "expression_for_a_scalar": Parts(
        dummies="q, f, n, a",
        declared=N + Q + F + "\n    real(8), intent(in) :: a",
        factor="a",
        calls="call flux(q, f, n, 2*dt)\n    call update(q, f, n)",
    ),
    "element_for_a_scalar": Parts(
        dummies="q, f, n, a",
        declared=N + Q + F + "\n    real(8), intent(in) :: a",
        factor="a",
        calls="call flux(q, f, n, c(k))\n    call update(q, f, n)",
    ),
    "by_value": Parts(
        dummies="q, f, n, a",
        declared=N + Q + F + "\n    real(8), value :: a",
        factor="a",
        calls="call flux(q, f, n, dt)\n    call update(q, f, n)",
    ),
    "absent": Parts(
        dummies="q, f, n, a",
        declared=N + Q + F + "\n    real(8), intent(in), optional :: a",
        before="if (present(a)) f(1) = a",
    ),
    "counted_by_reference": Parts(
        dummies="q, f, n, a",
        declared=N + Q + F + "\n    real(8), intent(inout) :: a",
        before="a = a*0.5d0",
        calls="call flux(q, f, n, dt)\n    call update(q, f, n)",
    ),
    "column": Parts(calls="call flux(r(:, k), f, n)\n    call update(r(:, k), f, n)"),
    "last_dimension_smaller": Parts(calls="call flux(q, f, n - 1)\n    call update(q, f, n - 1)"),
    "nested": Parts(
        calls="call both(q, f, n)",
        procedures="subroutine both(a, b, n)\n    integer, intent(in) :: n\n"
        "    real(8), intent(inout) :: a(n), b(n)\n    call flux(a, b, n)\n    call update(a, b, n)\n  end subroutine",
    ),
    "own_loop_next_to_a_call": Parts(
        calls="call flux(q, f, n)\n    do concurrent (k = 2:n - 1)\n      q(k) = q(k) + f(k) - f(k - 1)\n    end do"
    ),
    "captured_in_a_block": Parts(
        calls="associate (x => r(:, k + 0))\n      call flux(x, f, n)\n      call update(x, f, n)\n    end associate"
    ),
    "return_at_the_end": Parts(after="return"),
    "constants_of_its_own": Parts(
        declared=N + Q + F + "\n    real(8), parameter :: w(2) = [0.25d0, 0.75d0]", factor="w(2)"
    ),
    "module_variable": Parts(
        module="real(8), private :: weight = 0.75d0", factor="weight", main="real(8) :: weight", start="weight = 0"
    ),
    "the_same_names": Parts(
        declared=N + Q + F + "\n    real(8) :: c, t, dt",
        before="c = 0.5d0\n    t = 3\n    dt = c*t",
        factor="dt",
        calls="call flux(q, f, n)\n    call update(q, f, n)\n    c(1) = c(1)*dt",
    ),
    "loop_variable_as_argument": Parts(
        dummies="q, f, n, a",
        declared=N + Q + F + "\n    integer, intent(in) :: a",
        factor="real(a, 8)",
        calls="call flux(q, f, n, t)\n    call update(q, f, n)",
    ),
    "a_copy_called_like_an_intrinsic": Parts(
        dummies="q, f, n, max",
        declared=N + Q + F + "\n    real(8), intent(in) :: max",
        factor="max",
        calls="call flux(q, f, n, sqrt(dt))\n    call update(q, f, n)",
    ),
    "print_behind_the_loops": Parts(calls="call flux(q, f, n)\n    call update(q, f, n)\n    if (t == 2) print *, t"),
}


def argument(declared: str, given: str, dummy: str = "a", **parts: str) -> Parts:
    """flux with one more argument."""
    calls = f"call flux(q, f, n, {given})\n    call update(q, f, n)"
    return Parts(dummies=f"q, f, n, {dummy}", declared=f"{N}{Q}{F}\n    {declared}", calls=calls, **parts)


REFUSED = {
    "a forall statement": Parts(after="forall (i = 1:n) f(i) = f(i) + 1"),
    "uses the intrinsic function lbound": Parts(main="integer :: lbound", start="lbound = 3"),
    "a return that is not its last": Parts(before="if (n < 3) return"),
    "a stop statement": Parts(before="if (n < 3) stop 2"),
    "an input/output statement": Parts(before="if (n < 0) open (unit=7, status='scratch')"),
    "input (read)": Parts(before="if (n < 0) read (*, *) f(1)"),
    "kept between calls": Parts(declared=N + Q + F + "\n    integer, save :: count = 0", before="count = count + 1"),
    "that is allocatable": Parts(declared=N + Q + F + "\n    real(8), allocatable :: w(:)", before="w = q"),
    "that is pointer": Parts(declared=N + Q + F + "\n    real(8), pointer :: w"),
    "common block": Parts(declared=N + Q + F + "\n    real(8) :: w\n    common /shared/ w", before="w = 1"),
    "names h, which is passed to it as well": Parts(
        module="real(8) :: h(10) = 0", before="h(1) = h(1) + f(2)", calls="call flux(q, h, n)\n    call update(q, h, n)"
    ),
    "is passed twice": Parts(
        dummies="q, f, n, x",
        declared=N + Q + F + "\n    real(8), intent(in) :: x(n)",
        calls="call flux(q, f, n, f)\n    call update(q, f, n)",
    ),
    "an expression, not an array": Parts(calls="call flux(q + 1, f, n)\n    call update(q, f, n)"),
    "from which on they are taken in sequence": Parts(calls="call flux(q(2), f(2), n - 1)\n    call update(q, f, n)"),
    "another rank": Parts(calls="call flux(r, f, n)\n    call update(q, f, n)"),
    "vector subscript": argument("real(8), intent(in) :: a(:)", "r([3, 1], 2)", before="f(1) = a(1)"),
    "stride that is not constant": argument("real(8), intent(in) :: a(:)", "q(1:n:k)", before="f(1) = a(1)"),
    "another shape than its argument": argument("real(8), intent(in) :: a(2, 5)", "r", before="f(1) = a(1, 2)"),
    "assumed size": argument("real(8), intent(in) :: a(*)", "q", before="f(1) = a(1)"),
    "type character": argument("character(len=*), intent(in) :: a", "'x'"),
    "optional argument that is absent": Parts(
        dummies="q, f, n, a",
        declared=N + Q + F + "\n    real(8), intent(in), optional :: a",
        before="f(1) = merge(1d0, 2d0, n > 3 .and. present(a))",
        after="if (n > 99) f(1) = a",
    ),
    "an argument a that is a target": argument("real(8), intent(in), target :: a", "dt"),
    "a procedure as its argument": argument(
        "real(8), external :: a",
        "half",
        procedures="real(8) function half(x)\n    real(8) :: x\n    half = 0.5d0*x\n  end function",
    ),
    "not modelled": Parts(before="call random_number(f(1))"),
}

UNFUSED = {
    "the loops are not adjacent": Parts(
        before="f(n) = 0.5d0*q(1)", calls="call update(q, f, n)\n    call flux(q, f, n)"
    ),
    "they do not run in every iteration": Parts(
        calls="if (t > 1) then\n      call flux(q, f, n)\n      call update(q, f, n)\n    end if"
    ),
    "which are not producer and consumer": Parts(
        main="real(8) :: g(10) = 0, h(10) = 1", calls="call flux(q, f, n)\n    call update(g, h, n)"
    ),
}
OBJECTS = """module m
  implicit none
  type solver
    integer :: n = 12
    real(8) :: w = 0.1d0
    real(8), allocatable :: q(:), f(:)
  contains
    procedure :: flux
    procedure :: update
  end type
contains
  subroutine flux(self, m)
    class(solver), intent(inout) :: self
    integer, intent(in) :: m
    integer :: i
    do concurrent (i = 1:m - 1)
      self%f(i) = self%q(i + 1) - self%q(i)
    end do
  end subroutine
  subroutine update(self, weight)
    class(solver), intent(inout) :: self
    real(8), value :: weight
    integer :: i
    do concurrent (i = 2:self%n - 1)
      self%q(i) = self%q(i) + weight*(self%f(i) - self%f(i - 1))
    end do
  end subroutine
end module
program p
  use m
  type(solver) :: s
  integer :: t, i
  allocate (s%q(12), s%f(12))
  do i = 1, 12
    s%q(i) = mod(i*i, 7)
    s%f(i) = 0
  end do
  do t = 1, 3
    call s%flux(s%n)
    call s%update(s%w)
  end do
  print *, s%q, s%f
end program
"""
