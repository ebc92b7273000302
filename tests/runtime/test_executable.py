"""Executables from Python: arguments are checked, arrays changed in place, errors located."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from polystencil.errors import FortranRuntimeError, UsageError
from polystencil.runtime import Executable
from polystencil.runtime.opencl import OpenCLDevice

Make = Callable[..., Executable]

STEP = """
subroutine step(u, v, n, m, c, total, scale)
  integer, intent(in) :: n, m
  real, intent(in) :: u(n, m), c
  real, intent(inout) :: v(n, m)
  real(8), intent(out) :: total
  real, intent(in), optional :: scale
  integer :: i, j
  do concurrent (j = 2:m-1, i = 2:n-1)
    v(i, j) = u(i, j) + c*(u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - 4*u(i, j))
  end do
  if (present(scale)) v = v*scale
  total = sum(real(v, 8))
end subroutine
real function twice(x)
  real, intent(in) :: x
  twice = 2*x
end function
"""


def _field() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    u = np.asfortranarray(np.random.default_rng(1).random((40, 30), np.float32))
    return u, np.zeros_like(u)


@pytest.mark.parametrize("copying", [False, True])
def test_arrays_are_changed_in_place(executable: Make, copying: bool) -> None:
    exe = executable(STEP, OpenCLDevice(fp="strict", copying=copying), fp="strict")
    u, v = _field()
    for _ in range(3):  # the second and third call find the arrays bound or resident
        v[...] = 0
        total = exe["step"](u, v, 40, 30, 0.1)
        want = np.zeros_like(u)
        c = np.float32(0.1)
        sum_ = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - np.float32(4) * u[1:-1, 1:-1]
        want[1:-1, 1:-1] = u[1:-1, 1:-1] + c * sum_
        np.testing.assert_array_equal(v, want)
        assert total == pytest.approx(want.astype(float).sum())
        u[:, :] = v + 1


def test_optional_arguments_and_results(executable: Make) -> None:
    exe = executable(STEP)
    u, v = _field()
    exe["step"](u, v, 40, 30, 0.1)
    w = np.zeros_like(u)
    exe["step"](u, w, 40, 30, 0.1, scale=2.0)
    np.testing.assert_array_equal(w, 2 * v)
    assert exe["twice"](1.5) == 3.0
    assert isinstance(exe["twice"](1.5), np.float32)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda u, v: (u.astype(np.float64), v), "dtype float64"),
        (lambda u, v: (u[:, 0], v), "1 dimensions"),
        (lambda u, v: (np.ascontiguousarray(u), v), "C order"),
        (lambda u, v: (u, v.tolist()), "NumPy array"),
        (lambda u, _: (u,), "missing"),
    ],
)
def test_wrong_arguments_are_named_and_nothing_is_changed(executable: Make, change: Any, words: str) -> None:
    exe = executable(STEP)
    u, v = _field()
    named = {"n": 40, "m": 30, "c": 0.1}
    with pytest.raises(UsageError, match=words):
        exe["step"](*change(u, v), **named)
    assert not v.any()


def test_unknown_procedures_and_arguments(executable: Make) -> None:
    exe = executable(STEP)
    with pytest.raises(UsageError, match="no procedure 'stop'"):
        exe["stop"]
    with pytest.raises(UsageError, match="no argument 'q'"):
        exe["twice"](q=1.0)
    with pytest.raises(UsageError, match="no main program"):
        exe.run()


def test_too_small_arrays_are_an_error_at_the_procedure(executable: Make) -> None:
    exe = executable(STEP)
    u, v = _field()
    with pytest.raises(FortranRuntimeError, match=r"test.f90:2.*1281 elements|has 1640 elements"):
        exe["step"](u, v, 41, 40, 0.1)


def test_runtime_errors_name_the_line(executable: Make) -> None:
    text = "program p\n integer, allocatable :: a(:)\n integer :: k\n k = 7\n allocate (a(5))\n a = 1\n"
    text += " print *, a(k)\nend\n"
    with pytest.raises(FortranRuntimeError, match=r"test\.f90:7") as caught:
        executable(text).run(stdout=io.BytesIO())
    assert "print *, a(k)" in str(caught.value)


def test_stop_codes(executable: Make) -> None:
    assert executable("program p\n stop 3\nend program\n").run() == 3
    assert executable("program p\n error stop\nend program\n").run() == 1


def test_a_program_can_run_twice(executable: Make) -> None:
    text = "module m\n integer :: count = 5\nend module\nprogram p\n use m\n count = count + 1\n print *, count\nend\n"
    exe = executable(text)
    for _ in range(2):
        stream = io.BytesIO()
        exe.run(stdout=stream)
        assert stream.getvalue().split() == [b"6"]


def test_strided_arrays_work_through_assumed_shape(executable: Make) -> None:
    text = """
subroutine double_it(a)
  real(8), intent(inout) :: a(:, :)
  integer :: i, j
  do concurrent (j = 1:size(a, 2), i = 1:size(a, 1))
    a(i, j) = 2*a(i, j) + i
  end do
end subroutine
"""
    exe = executable(text)
    whole = np.asfortranarray(np.arange(200.0).reshape(20, 10))
    want = whole.copy(order="F")
    want[::3, 8:2:-2] = 2 * want[::3, 8:2:-2] + np.arange(1, 8)[:, None]
    exe["double_it"](whole[::3, 8:2:-2])
    np.testing.assert_array_equal(whole, want)
