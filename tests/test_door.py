"""The Python door: parse, compile, call with NumPy arrays, and where arrays live between calls."""

from __future__ import annotations

import ast
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polystencil as ps
from polystencil import pipeline
from polystencil.runtime import Executable, load
from polystencil.runtime.opencl import OpenCLDevice

STEP = """
subroutine step(u, v, n, m, c, total, scale)
  integer, intent(in) :: n, m
  real(8), intent(in) :: u(n, m), c
  real(8), intent(inout) :: v(n, m)
  real(8), intent(out) :: total
  real(8), intent(in), optional :: scale
  integer :: i, j
  do concurrent (j = 2:m-1, i = 2:n-1)
    v(i, j) = u(i, j) + c*(u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - 4*u(i, j))
  end do
  if (present(scale)) then
    do concurrent (j = 1:m, i = 1:n)
      v(i, j) = scale*v(i, j)
    end do
  end if
  total = v(2, 2)
end subroutine
subroutine fixed(a)
  integer, intent(inout) :: a(3, 4)
  a = a + 1
end subroutine
integer function both(k, n)
  integer, intent(inout) :: k
  integer, intent(in) :: n
  k = k + n
  both = 2*k
end function
"""


@pytest.fixture(scope="module")
def exe() -> Executable:
    return ps.compile(ps.parse(STEP, name="step.f90"))


def field() -> Any:
    return np.asfortranarray(np.random.default_rng(3).random((20, 30)))


def test_f_ordered_arrays_are_changed_in_place(exe: Executable) -> None:
    u, v = field(), np.zeros((20, 30), order="F")
    where = v.__array_interface__["data"]
    total = exe["step"](u, v, 20, 30, 0.1)
    want = u[1:-1, 1:-1] + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
    np.testing.assert_allclose(v[1:-1, 1:-1], want, rtol=1e-14)
    assert not v[0].any()
    assert not v[:, -1].any()
    assert v.__array_interface__["data"] == where
    assert total == v[1, 1]
    assert isinstance(total, np.float64)


def test_optional_arguments_are_left_out_or_named(exe: Executable) -> None:
    u, v, w = field(), np.zeros((20, 30), order="F"), np.zeros((20, 30), order="F")
    exe["step"](u, v, 20, 30, 0.1)
    exe["STEP"](u=u, v=w, n=20, m=30, c=0.1, Scale=3.0)
    np.testing.assert_array_equal(w, 3 * v)


def test_results_come_back_in_order(exe: Executable) -> None:
    assert exe["both"](20, 1) == (42, 21)
    k = np.array(5, np.int32)
    assert exe["both"](k, 2) == 14  # a 0-d array of the right type is changed in place
    assert k == 7


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((np.zeros((3, 4), np.int64, order="F"),), "dtype int64, but must have int32"),
        ((np.zeros((3, 5), np.int32, order="F"),), "extent 5 in dimension 2, but must have 4"),
        ((np.zeros(12, np.int32),), "1 dimensions, but must have 2"),
        ((np.zeros((3, 4), np.int32),), "C order"),
        (([[1]],), "must be a NumPy array"),
        ((), "missing"),
        ((1, 2), "takes 1 arguments, but 2 are given"),
    ],
)
def test_wrong_arguments_are_named(exe: Executable, arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(ps.UsageError, match=words) as caught:
        exe["fixed"](*arguments)
    assert "fixed" in str(caught.value)


def test_wrong_scalars_are_named(exe: Executable) -> None:
    for value, words in ((1.5, "must be int32"), (2**40, "does not fit"), ("x", "must be int32")):
        with pytest.raises(ps.UsageError, match=words):
            exe["both"](1, value)
    locked = np.asfortranarray(np.zeros((3, 4), np.int32))
    locked.flags.writeable = False
    with pytest.raises(ps.UsageError, match="read-only"):
        exe["fixed"](locked)
    with pytest.raises(ps.UsageError, match="no procedure 'jump'"):
        exe["jump"]


def test_arrays_stay_on_the_device_during_a_call() -> None:
    text = """
subroutine many(u, v, n, steps)
  integer, intent(in) :: n, steps
  real(8), intent(inout) :: u(n), v(n)
  integer :: i, t
  do t = 1, steps
    do concurrent (i = 2:n-1)
      v(i) = 0.5d0*(u(i-1) + u(i+1))
    end do
    do concurrent (i = 2:n-1)
      u(i) = v(i)
    end do
  end do
end subroutine
"""
    options = ps.Options(transforms="none")
    program = ps.parse(text)
    device = OpenCLDevice(copying=True)
    exe = load(pipeline.generate(program, options), device, options)
    u, v = np.arange(1000.0) ** 2, np.zeros(1000)
    exe["many"](u, v, 1000, 50)
    assert device.residency is not None
    assert device.residency.copied_in == 2 * u.nbytes  # once, not in each of 100 launches
    assert device.residency.copied_out == 2 * u.nbytes
    assert device.launches == 100


def test_arrays_that_a_launch_overwrites_are_not_copied_in() -> None:
    text = """
program p
  implicit none
  integer, parameter :: n = 1000
  real(8) :: u(n), v(n), w(n), part(n)
  integer :: i
  u = 1
  do concurrent (i = 1:n)
    v(i) = 2*u(i)
  end do
  do concurrent (i = 1:n)
    w(i) = i
    w(i) = w(i) + v(i)
  end do
  part = 0
  do concurrent (i = 2:n)
    part(i) = w(i)
  end do
  print *, sum(part)
end program
"""
    options = ps.Options(transforms="none", fp="strict", separate_memory=True)
    program = ps.parse(text, name="p.f90")
    device = OpenCLDevice(copying=True, fp="strict")
    exe = load(pipeline.generate(program, options), device, options)
    stream = io.BytesIO()
    exe.run(stdout=stream)
    assert float(stream.getvalue()) == sum(2 + i for i in range(2, 1001))
    assert device.residency is not None
    assert device.residency.copied_in == 0
    assert device.residency.copied_out == 4 * 8000


ARRAYS = """
program arrays
  implicit none
  integer, parameter :: n = 1024
  real :: a(n, n), b(n, n), c(n, n)
  integer :: i, j, k
  do j = 1, n
    do i = 1, n
      a(i, j) = mod(i*j, 7)
    end do
  end do
  b = 2*a + 1
  do k = 1, 3
    where (a > 3)
      c = a - b
    elsewhere
      c = a + b
    end where
    forall (i = 2:n-1, j = 2:n-1) b(i, j) = c(i-1, j) + c(i+1, j)
    a(2:n, :) = a(1:n-1, :) + 0.25*c(2:n, :)
    do i = 2, n
      c(i, :) = c(i-1, :)*0.5
    end do
    do j = 2, n
      do i = 2, n
        a(i, j) = 0.5*a(i-1, j) + 0.25*a(i, j-1)
      end do
    end do
  end do
  print *, sum(a), maxval(b), count(c > 0)
end program
"""


def loops_of(source: str) -> list[ast.AST]:
    return [n for n in ast.walk(ast.parse(source)) if isinstance(n, (ast.For, ast.While, ast.comprehension))]


@pytest.mark.parametrize("transforms", ["all", "none"])
def test_host_programs_never_loop_over_elements(transforms: str) -> None:
    """What runs in Python is counted: as many lines as there are launches and decisions, for a million elements."""
    exe = ps.compile(ps.parse(ARRAYS, name="arrays.f90"), transforms=transforms)
    lines = 0

    def count(frame: Any, event: str, _: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count if frame.f_code.co_filename.startswith("<host program") else None

    outer = sys.gettrace()
    sys.settrace(count)
    try:
        exe.run(stdout=io.BytesIO())
    finally:
        sys.settrace(outer)
    assert 0 < lines < 400 + 3 * 1024 * 8  # the loop over rows may launch; a loop over elements needs a million


@pytest.mark.parametrize("file", sorted(p.name for p in (Path(__file__).parents[1] / "data").glob("*.f90")))
def test_host_programs_of_the_examples_have_few_loops(file: str) -> None:
    """Loops that are left in Python step through time: none stands around the elements of an array."""
    exe = ps.compile(ps.parse(Path(__file__).parents[1] / "data" / file))
    refused = [r for r in exe.remarks if r.transform == "kernel" and r.status == "refused"]
    assert all("inside of a kernel" in r.reason or "around the kernel" in r.reason for r in refused)
    assert len(loops_of(exe.host_source)) <= 12
