"""Calls of kernel subroutines are opened where their loops then fuse: what becomes of them, what is refused, same bits."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from polystencil import pipeline
from polystencil.ir.interpreter import run_program
from polystencil.ir.printer import print_body, print_program
from polystencil.ir.printer.names import Names
from polystencil.ir.statements import Call, Do, ParallelLoop
from polystencil.ir.symbols import symbol_table
from polystencil.ir.traversal import procedures_of, walk_statements
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.testing.called_stage_programs import random_called_stages
from polystencil.testing.equal_runs import compare_runs, compiled_run, parsed
from polystencil.transforms.inline_calls import inline_calls, opened
from tests.transforms.called_kernels import APPLIED, OBJECTS, REFUSED, SECTION, UNFUSED, Parts

CASES = Path(__file__).parents[1] / "cases" / "apps"
FUSE = Options(transforms=("fuse", "swap"), split_min_iterations=0)
Same = Callable[..., tuple[Remark, ...]]


def inlined(remarks: tuple[Remark, ...]) -> list[tuple[str, str]]:
    """Status and reason of the remarks on calls."""
    return [(r.status, r.reason) for r in remarks if r.transform == "inline" and "callee" in r.details]


def opened_text(text: str) -> list[str]:
    """The main program's time loop after the pass."""
    program = dict(pipeline.transform(parsed(text), Options(transforms="none")).after)["parallelize"]
    lines = [line.strip() for line in print_program(inline_calls(program, FUSE).program).splitlines()]
    first = max(k for k, line in enumerate(lines) if line.startswith("do t = 1, nt"))
    last = next(k for k, line in enumerate(lines) if k > first and line.startswith("print"))
    return lines[first:last]


def test_whole_arrays_of_the_same_bounds() -> None:
    assert opened_text(Parts().text) == [
        "do t = 1, nt", "block", "integer(4) :: i", "do concurrent (i = 1:n - 1)",
        "f(i - 1 + lbound(f, 1)) = 0.5_8*(q(i + lbound(q, 1)) - q(i - 1 + lbound(q, 1)))", "end do", "end block",
        "block", "integer(4) :: i", "do concurrent (i = 2:n - 1)",
        "q(i - 1 + lbound(q, 1)) = q(i - 1 + lbound(q, 1)) + f(i - 1 + lbound(f, 1)) - f(i - 2 + lbound(f, 1))",
        "end do", "end block", "end do",
    ]  # fmt: skip


def opened_anyway(text: str) -> list[str]:
    """The first call of the main program's time loop, opened whether or not anything fuses."""
    program = parsed(text)
    table = symbol_table(program)
    main = program.main
    assert main is not None
    loop = next(st for st in main.body if isinstance(st, Do) and isinstance(st.body[0], Call))
    made, loops = opened(loop.body[:1], main, table, "p.o")
    assert loops
    return [line.strip() for line in print_body(made, Names(table))]


def test_sections_bounds_and_sizes_are_those_of_the_dummies() -> None:
    lines = opened_anyway(SECTION.text)
    assert "g(merge(-1, 1, size(g, 1) > 0) + 2) = 10 + 9 + merge(size(g, 1) - 2, 0, size(g, 1) > 0)" in lines
    assert "g(i + 2) = 0.5_8*(a((i + 1)*2 + 2, k) - a(i*2 + 2, k))" in lines


@pytest.mark.parametrize("name", APPLIED)
def test_opened_fused_and_equal(name: str, same: Same) -> None:
    remarks = same(APPLIED[name].text, ("fuse", "swap"))
    assert {status for status, _ in inlined(remarks)} == {"applied"}, inlined(remarks)
    assert [r for r in remarks if r.transform == "fuse" and r.status in ("applied", "runtime-checked")]


@pytest.mark.parametrize("name", APPLIED)
def test_opened_with_all_passes_on_opencl(name: str) -> None:
    source = parsed(APPLIED[name].text)
    out, wanted = io.StringIO(), io.StringIO()
    assert run_program(source, stdout=wanted) == 0
    executable = pipeline.executable(source, Options(fp="strict", split_min_iterations=0))
    assert executable.run((), stdout=out) == 0
    assert out.getvalue() == wanted.getvalue()


@pytest.mark.parametrize("reason", REFUSED)
def test_refused_with_a_reason(reason: str) -> None:
    program = parsed(REFUSED[reason].text)
    result = pipeline.transform(program, FUSE)
    found = [(status, why) for status, why in inlined(result.remarks) if "flux" in why]
    assert found
    assert found[0][0] == "refused"
    assert reason in found[0][1], found
    calls = [st for p in procedures_of(result.program) for st in walk_statements(p.body) if isinstance(st, Call)]
    assert len(calls) >= 2


def test_calls_stay_where_nothing_fuses() -> None:
    parts = UNFUSED["which are not producer and consumer"]
    program = parsed(parts.text)
    before = dict(pipeline.transform(program, Options(transforms="none")).after)["parallelize"]
    result = inline_calls(before, FUSE)
    assert result.program is before
    assert all(status == "refused" for status, _ in inlined(result.remarks))
    assert "not producer and consumer" in inlined(result.remarks)[0][1]


@pytest.mark.parametrize("reason", ["the loops are not adjacent", "they do not run in every iteration"])
def test_the_refusal_of_the_fusion_is_a_remark(reason: str) -> None:
    result = pipeline.transform(parsed(UNFUSED[reason].text), FUSE)
    assert {r.transform for r in result.remarks if reason in r.reason and r.status == "refused"} == {
        "fuse",
        "swap",
        "inline",
    }


def test_one_call_alone_is_not_applicable() -> None:
    result = pipeline.transform(parsed(Parts(calls="call flux(q, f, n)\n    q(1) = f(2)").text), FUSE)
    assert [status for status, _ in inlined(result.remarks)] == ["not-applicable"]


def test_procedures_bound_to_the_type_of_an_object(same: Same) -> None:
    assert [status for status, _ in inlined(same(OBJECTS, ("fuse", "swap")))] == ["applied", "applied"]


def test_the_dynamic_type_decides_what_a_call_runs(same: Same) -> None:
    other = """  type, extends(solver) :: other
  contains
    procedure :: flux => flux_of_other
  end type
contains
  subroutine flux_of_other(self, m)
    class(other), intent(inout) :: self
    integer, intent(in) :: m
    self%f(m) = 0
  end subroutine
"""
    text = OBJECTS.replace("contains\n  subroutine flux", other + "  subroutine flux")
    text = text.replace("type(solver) :: s", "class(solver), allocatable :: s").replace(
        "allocate (s%q", "allocate (s)\n  allocate (s%q"
    )
    assert "applied" not in {status for status, _ in inlined(same(text, ("fuse", "swap")))}


def test_recursion_is_refused() -> None:
    text = (
        Parts()
        .text.replace("subroutine flux", "recursive subroutine flux")
        .replace(
            "    do concurrent (i = 1:n - 1)", "    if (n < 0) call flux(q, f, n)\n    do concurrent (i = 1:n - 1)"
        )
    )
    result = pipeline.transform(parsed(text), FUSE)
    assert any("recursive" in why for _, why in inlined(result.remarks))


def test_the_loops_of_an_application_stand_side_by_side() -> None:
    source = pipeline.parse([CASES / "b12_advdiff_types.f90"], {}, [])
    program = dict(pipeline.transform(source, Options(transforms="none")).after)["parallelize"]
    table = symbol_table(program)
    run = next(p for p in procedures_of(program) if p.name == "run")
    body = run.body
    while isinstance(body[0], Do):
        body = body[0].body
    made, loops = opened(body, run, table, "run.o")
    assert len(loops) == 5
    assert all(isinstance(st, ParallelLoop) for st in made)


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_programs_print_the_same(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 20):
        compared = compare_runs(random_called_stages(Random(seed)), FUSE, (seed,))
        assert not compared.difference, seed
        if seed % 10 == 7 and shutil.which("gfortran"):
            assert compared.output in compiled_run(print_program(compared.program), tmp_path), seed


def test_many_random_programs_are_opened() -> None:
    done = 0
    for seed in range(40):
        remarks = pipeline.transform(parsed(random_called_stages(Random(seed))), FUSE).remarks
        done += any(status == "applied" for status, _ in inlined(remarks))
    assert done >= 10


@pytest.mark.parametrize("seed", [3, 8, 15])
def test_random_programs_on_opencl(seed: int) -> None:
    source = parsed(random_called_stages(Random(seed)))
    out, wanted = io.StringIO(), io.StringIO()
    assert run_program(source, stdout=wanted) == 0
    executable = pipeline.executable(source, Options(fp="strict", split_min_iterations=0))
    assert executable.run((), stdout=out) == 0
    assert out.getvalue() == wanted.getvalue()
