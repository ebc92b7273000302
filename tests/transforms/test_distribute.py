"""Loop distribution: cut where no value passes back, left whole elsewhere, the same bits either way."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random

import pytest

import polystencil as ps
from polystencil import pipeline
from polystencil.ir.interpreter import run_program
from polystencil.options import Options
from polystencil.testing.equal_runs import compare_runs, compiled_runs, parsed
from polystencil.testing.imperfect_loops import random_imperfect_loop

HEAD = """subroutine work(a, b, c, n)
  integer, intent(in) :: n
  real, intent(inout) :: a(0:n+1), b(0:n+1), c(0:n+1)
  integer :: i
  real :: t
"""


def loops_after(body: str) -> str:
    text = ps.show(HEAD + body + "end subroutine\n", after="parallelize", transforms="none")
    lines = text.splitlines()
    return "\n".join(lines[lines.index("  real(4) :: t") + 1 : -1])


def remarks_of(body: str) -> list[tuple[str, str]]:
    remarks = ps.explain(HEAD + body + "end subroutine\n", transforms="none")
    return [(r.transform, r.status) for r in remarks if r.transform in ("distribute", "parallelize")]


def test_a_recurrence_and_what_follows_it() -> None:
    body = """  do i = 1, n
    a(i) = a(i-1) + b(i)
    c(i) = 2.0*a(i)
    b(i) = c(i) + 1.0
  end do
"""
    assert (
        loops_after(body)
        == """\
  do i = 1, n
    a(i) = a(i - 1) + b(i)
  end do
  do concurrent (i = 1:n)
    c(i) = 2.0_4*a(i)
    b(i) = c(i) + 1.0_4
  end do"""
    )
    assert remarks_of(body) == [("distribute", "applied"), ("parallelize", "refused"), ("parallelize", "applied")]


def test_a_value_that_passes_back_keeps_the_loop() -> None:
    body = """  do i = 1, n
    a(i) = a(i-1) + b(i-1)
    b(i) = 2.0*a(i)
  end do
"""
    assert loops_after(body).count("do i = 1, n") == 1
    assert ("distribute", "applied") not in remarks_of(body)


def test_a_scalar_that_both_parts_need_keeps_the_loop() -> None:
    body = """  do i = 1, n
    t = 0.5*b(i)
    a(i) = a(i-1) + t
    c(i) = t
  end do
"""
    assert ("distribute", "applied") not in remarks_of(body)


def test_a_scalar_that_each_part_sets_anew_is_no_hindrance() -> None:
    body = """  do i = 1, n
    t = 0.5*b(i)
    a(i) = a(i-1) + t
    t = 0.25*b(i)
    c(i) = t
  end do
"""
    assert ("distribute", "applied") in remarks_of(body)


def test_a_parallel_loop_and_a_time_loop_stay_whole() -> None:
    whole = """  do i = 1, n
    a(i) = b(i)
    c(i) = 2.0*a(i)
  end do
"""
    assert remarks_of(whole) == [("parallelize", "applied")]


@pytest.mark.parametrize("seed", range(80))
def test_same_bits(seed: int) -> None:
    compared = compare_runs(random_imperfect_loop(Random(seed)), Options(transforms=(), fp="strict"), seeds=(1, 2))
    assert not compared.invalid
    assert compared.difference == ""


def test_many_are_really_cut() -> None:
    options = Options(transforms=(), fp="strict")
    cut = 0
    for seed in range(80):
        remarks = compare_runs(random_imperfect_loop(Random(seed)), options, seeds=()).remarks
        cut += any(r.transform == "distribute" for r in remarks)
    assert cut >= 15


@pytest.mark.usefixtures("gfortran")
@pytest.mark.parametrize("seed", [3, 5, 8, 13])
def test_compiled_alike(seed: int, tmp_path: Path) -> None:
    source = parsed(random_imperfect_loop(Random(seed)))
    after = pipeline.transform(source, Options(transforms=(), fp="strict")).program
    first, second = compiled_runs([source, after], tmp_path)
    assert first == second
    assert len(first) > 100


@pytest.mark.parametrize("seed", [1, 4, 6, 11])
def test_same_bits_on_opencl(seed: int) -> None:
    source = parsed(random_imperfect_loop(Random(seed)))
    out, wanted = io.StringIO(), io.StringIO()
    assert run_program(source, stdout=wanted) == 0
    executable = pipeline.executable(source, Options(transforms=(), fp="strict"))
    assert executable.run((), stdout=out) == 0
    assert out.getvalue() == wanted.getvalue()
