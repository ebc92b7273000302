"""Functions that get sections: what their elements become, what is refused, and that nothing else is printed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polystencil import explain, show
from polystencil.remarks import Remark

HEAD = """module formulas
contains
  pure real(8) function inner(w, x)
    real(8), intent(in) :: w(-1:), x
    inner = x*(w(0) + w(1)) - w(-1) - w(2)
    if (x > 1) inner = inner + size(w) + lbound(w, 1) + w(ubound(w, 1))
  end function
  pure real(8) function wall(w)
    real(8), intent(in) :: w(:)
    wall = 3*w(1) - w(2) + w(size(w))
  end function
  pure real(8) function plane(w)
    real(8), intent(in) :: w(0:, :)
    plane = w(0, 1) - w(1, 2) + ubound(w, 2)
  end function
  pure real(8) function four(w)
    real(8), intent(in) :: w(4)
    four = w(1) + w(4)
  end function
  pure real(8) function sized(w)
    real(8), intent(in) :: w(4)
    sized = w(1) + size(w)
  end function
end module
"""


def program(value: str) -> str:
    return HEAD + f"""program p
  use formulas
  integer, parameter :: n = 14
  real(8) :: q(0:n, 0:9), c(0:n, 5, 0:9), b(0:n, 9)
  integer :: i, j, k, at(4)
  at = [1, 3, 2, 4]
  k = 2
  do concurrent (j = 0:9, i = 0:n)
    q(i, j) = 0.25d0*mod(i*i + 3*j, 11)
    c(i, :, j) = 0.5d0*mod(i + j, 5)
  end do
  b = 0
  do concurrent (j = 1:9, i = 0:n)
    if (i >= 2 .and. i < n - 2) b(i, j) = {value}
  end do
  print *, b
end program
"""


ELEMENTS = {
    "inner(q(i - 1:i + 2, j), q(i, j))": "q(i, j)*(q(i, j) + q(i + 1, j)) - q(i - 1, j) - q(i + 2, j)",
    "wall(q(n:n - 3:-1, j))": "3.0_8*q(n, j) - q(n - 1, j) + q(n - 3, j)",
    "wall(q(i - 2:i + 2:2, j))": "3.0_8*q(i - 2, j) - q(i, j) + q(i + 2, j)",
    "wall(q(i, :))": "3.0_8*q(i, 0) - q(i, 1) + q(i, 9)",
    "plane(c(i - 1:i + 1, j/9 + 1, 2:4))": "c(i - 1, j/9 + 1, 2) - c(i, j/9 + 1, 3) + 3",
    "four(q(i - 2:i + 1, j))": "q(i - 2, j) + q(i + 1, j)",
}


@pytest.mark.parametrize("call", ELEMENTS)
def test_elements_of_a_section(call: str, same: Callable[..., tuple[Remark, ...]]) -> None:
    text = program(call)
    assert ELEMENTS[call] in show(text, after="split", transforms="split")
    remarks = same(text, ("split",))
    assert all(r.status == "applied" for r in remarks if r.transform == "inline")


REFUSED = {
    "wall(q(at, j))": "index array",
    "wall(q(i - 2:i + 2:k, j))": "stride that is no constant",
    "sized(q(1:3 + i - i/2*2, j))": "may have another shape",
    "wall(2*q(1:3, j))": "is an expression",
}


@pytest.mark.parametrize("call", REFUSED)
def test_sections_that_are_refused(call: str) -> None:
    reasons = [r.reason for r in explain(program(call), transforms="split") if r.transform == "inline"]
    assert any(REFUSED[call] in reason for reason in reasons), reasons
