"""Fusion of several loops that produce one array: texts, refusals with their reasons, and programs that print the same."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import polystencil as ps
from polystencil import explain, pipeline, show
from polystencil.ir.printer import print_program
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.testing.equal_runs import compare_runs, compiled_run, interpreted, parsed
from polystencil.testing.several_producers import random_several_producers

FOLDER = Path(__file__).parent / "fuse_programs"
FACES = """subroutine steps(q, f, n, nt)
  integer, intent(in) :: n, nt
  real, intent(inout) :: q(0:n + 1), f(0:n)
  integer :: i, t
  do t = 1, nt
    do concurrent (i = 1:n - 1)
      f(i) = q(i + 1) - q(i)
    end do
    do concurrent (i = 1:1)
      f(i) = 0.5*q(1)
    end do
    do concurrent (i = 1:n)
      q(i) = q(i) + f(i) - f(i - 1)
    end do
  end do
end subroutine
"""
RECORDS = """program p
  type :: part
    real(8), allocatable :: q(:)
  end type
  type(part) :: s(3)
  integer :: i, m, k, e
  real(8) :: f(0:12)
  f = 0.5d0
  do m = 1, 3
    allocate (s(m)%q(0:12 + m))
    s(m)%q = [(0.25d0*mod(i*i + 3*m, 11), i = 0, 12 + m)]
  end do
  do k = 1, 3
    do m = 1, size(s)
      do concurrent (i = 1:11)
        f(i) = s(m)%q(i) + s(m)%q(i + 1)
      end do
      do concurrent (i = 2:11)
        s(m)%q(i) = s(m)%q(i) + f(i) - f(i - 1)
      end do
    end do
  end do
  print *, f, s(1)%q, s(2)%q, s(3)%q
end program
"""


def of(remarks: tuple[Remark, ...], transform: str = "fuse") -> list[tuple[str, str]]:
    return [(r.status, r.reason) for r in remarks if r.transform == transform]


def lines(text: str, after: str = "fuse", transforms: str = "fuse") -> list[str]:
    return [line.strip() for line in show(text, after=after, transforms=transforms).splitlines() if line.strip()]


def test_the_last_loop_that_writes_an_element_gives_its_value_or_memory_does() -> None:
    text = lines(FACES)
    start = text.index("if (i <= 1) then")
    assert text[start : start + 9] == [
        "if (i <= 1) then", "f_value = 0.5_4*q(1)", "else",
        "if (i <= n - 1) then", "f_value = q(i + 1) - q(i)", "else", "f_value = f(i)", "end if", "end if",
    ]  # fmt: skip
    assert "q_copy(i) = q(i) + f_value - f_value_1" in text


def test_no_test_is_left_where_the_last_loop_covers_everything() -> None:
    text = lines(FACES.replace("do concurrent (i = 1:1)", "do concurrent (i = 0:n)"))
    assert "q_copy(i) = q(i) + 0.5_4*q(1) - 0.5_4*q(1)" in text or "q_copy(i) = q(i) + (0.5_4*q(1)) - (0.5_4*q(1))" in text
    assert not any("f_value" in line for line in text)


def test_a_single_producer_that_leaves_elements_out_is_refused_with_one() -> None:
    alone = FACES.replace("    do concurrent (i = 1:1)\n      f(i) = 0.5*q(1)\n    end do\n", "")
    remark = next(r for r in explain(alone, transforms="fuse") if r.transform == "fuse")
    assert remark.status == "refused"
    assert "coverage fails" in remark.reason
    assert remark.witness is not None


REFUSED = {
    "a loop that reads what a later one writes": (
        FACES.replace("f(i) = q(i + 1) - q(i)", "f(i) = q(i + 1) - w(i)").replace(
            "    do concurrent (i = 1:n)\n", "    do concurrent (i = 1:n)\n      w(i) = q(i)\n    end do\n"
            "    do concurrent (i = 1:n)\n"
        ).replace("f(i - 1)\n", "f(i - 1) + w(i)\n").replace("f(0:n)", "f(0:n), w(n)").replace("(q, f,", "(q, f, w,"),
        "which a later loop assigns in every iteration",
    ),
    "a test that isl cannot hold": (FACES.replace("f(i) = 0.5", "if (q(i) > 0) f(i) = 0.5"), "not expressible exactly"),
    "an operand that need not be evaluated": (
        FACES.replace("q(i) = q(i) + f(i) - f(i - 1)", "q(i) = q(i) + merge(f(i), 1.0, i > 3)"), "need not be evaluated",
    ),
    "a consumer that writes the array": (
        FACES.replace("q(i) = q(i) + f(i) - f(i - 1)", "q(i) = q(i) + f(i); f(i) = 0"), "the consumer writes f",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_why(name: str) -> None:
    text, reason = REFUSED[name]
    found = of(explain(text, transforms="fuse"))
    assert any(status == "refused" and reason in why for status, why in found), found
    assert not any(status == "applied" for status, _ in found), found


def test_loops_of_unrelated_arrays_are_not_considered() -> None:
    head, tail = FACES.split("    do concurrent (i = 1:1)")[0], FACES.split("    do concurrent (i = 1:n)")[1]
    text = head + "    do concurrent (i = 1:n)" + tail.replace("q(i) = q(i) + f(i) - f(i - 1)", "w(i) = 1")
    text = text.replace("f(0:n)", "f(0:n), w(n)").replace("(q, f,", "(q, f, w,")
    assert of(explain(text, transforms="fuse")) == []


def test_a_bound_in_another_form_is_checked_by_the_host() -> None:
    text = FACES.replace("i = 1:n)", "j = 1:size(f, 2), i = 1:n)").replace("i = 1:1", "j = 1:m, i = 1:1")
    text = text.replace("i = 1:n - 1)", "j = 1:m, i = 1:n - 1)").replace("f(0:n)", "f(0:, :)").replace("q(0:n + 1)", "q(0:, :)")
    for name in ("q(i)", "q(i + 1)", "q(1)", "f(i)", "f(i - 1)"):
        text = text.replace(name, name.replace(")", ", j)"))
    text = text.replace("n, nt", "n, m, nt").replace("i, t", "i, j, t")
    assert [s for s, _ in of(explain(text, transforms="fuse"))] == ["runtime-checked"]*2
    assert any("size(f, 2) == m" in line for line in lines(text))
    assert "do concurrent (j = 1:m, i = 1:n)" in lines(text)


# -- records that a loop chooses ----------------------------------------------------------------------------------


def test_every_record_has_a_copy_and_a_flag(same: Callable[..., tuple[Remark, ...]]) -> None:
    text = lines(RECORDS, transforms="fuse,swap")
    assert "type(q_copies), allocatable :: q_copy(:)" in text
    assert "logical(4), allocatable :: in_copy(:)" in text
    assert "allocate (q_copy(record)%q(lbound(s(record)%q, 1):ubound(s(record)%q, 1)))" in text
    assert "if (in_copy(m)) then" in text
    assert "if (in_copy(record)) then" in text
    for transforms in (("fuse",), ("fuse", "swap"), "all"):
        remarks = same(RECORDS.replace("f(i - 1)", "f(i - 1)"), transforms)
        assert "refused" not in [s for s, _ in of(remarks)]


WAYS = {
    "computed from a loop variable": (RECORDS.replace("s(m)%q", "s(4 - m)%q"), "computed from a loop variable"),
    "a variable that changes": (
        RECORDS.replace("    do m = 1, size(s)\n", "    e = k\n    do m = 1, 2\n").replace("s(m)%q(i", "s(e)%q(i"),
        "changes in the loops around",
    ),
    "two spellings": (RECORDS.replace("s(m)%q(i + 1)", "s(k)%q(i + 1)"), "different subscripts"),
    "records assigned as wholes": (
        RECORDS.replace("    do m = 1, size(s)\n", "    if (k == 2) s(2) = s(1)\n    do m = 1, 3\n"), "as a whole",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_ways_to_a_record_that_are_refused(name: str, same: Callable[..., tuple[Remark, ...]]) -> None:
    text, reason = WAYS[name]
    remarks = same(text, ("fuse", "swap"))
    found = of(remarks)
    assert any(reason in why for _, why in found), found


# -- the whole of it ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["advdiff_inlined", "advdiff_in_one_procedure"])
def test_four_flux_loops_fuse_into_the_update_and_take_turns(name: str) -> None:
    program = ps.parse(FOLDER / f"{name}.f90")
    options = Options(split_min_iterations=0, cache_bytes=1 << 40)
    remarks = pipeline.transform(program, options).remarks
    fused = [r for r in remarks if r.transform == "fuse" and r.status in ("applied", "runtime-checked")]
    assert len(fused) == 4
    assert all(len(r.details["chain_lines"]) == 3 for r in fused)
    assert [r.status for r in remarks if r.transform == "swap"] == ["applied"]*4
    consumer = fused[0].with_span
    assert consumer is not None
    interiors = [r for r in remarks if r.transform == "split" and r.span == consumer and r.status == "runtime-checked"]
    assert [r.details["kept_test_lines"] for r in interiors] == [[], []]
    kernels = [k for k in pipeline.generate(program, options).kernels if k.span.line == consumer.line]
    straight = [k for k in kernels if len(re.findall(r"\bif\b|\?", k.body)) == 1]  # the launch guard
    assert len(straight) >= 4  # both directions, plain and jammed


def _opencl(text: str, transforms: str | tuple[str, ...]) -> str:
    stream = io.BytesIO()
    options = Options(target="opencl", transforms=transforms, fp="strict", split_min_iterations=0)  # type: ignore[arg-type]  # names of passes
    pipeline.executable(parsed(text), options).run((), stdout=stream)
    return stream.getvalue().decode()


@pytest.mark.parametrize("transforms", [("fuse",), ("fuse", "swap"), "all"], ids=str)
@pytest.mark.parametrize("name", ["advdiff_inlined", "advdiff_in_one_procedure"])
def test_kernels_keep_every_bit(name: str, transforms: str | tuple[str, ...]) -> None:
    text = (FOLDER / f"{name}.f90").read_text()
    assert _opencl(text, transforms) == interpreted(parsed(text))[0]


@pytest.mark.parametrize("seed", [1, 4, 10, 12])
def test_kernels_of_random_programs_keep_every_bit(seed: int) -> None:
    text = random_several_producers(Random(seed))
    assert _opencl(text, "all") == interpreted(parsed(text))[0]


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_programs_print_the_same(first: int, tmp_path: Path) -> None:
    fused = 0
    for seed in range(first, first + 20):
        transforms = ("fuse", "swap") if seed % 4 else "all"
        options = Options(transforms=transforms, split_min_iterations=0, cache_bytes=2000)  # type: ignore[arg-type]  # names of passes
        compared = compare_runs(random_several_producers(Random(seed)), options, (seed,))
        assert not compared.difference, seed
        fused += any(r.transform == "fuse" and r.status in ("applied", "runtime-checked") for r in compared.remarks)
        if seed % 10 == 3 and shutil.which("gfortran") and not compared.invalid:
            assert compiled_run(print_program(compared.program), tmp_path) == compared.output, seed
    assert fused >= 6
