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
