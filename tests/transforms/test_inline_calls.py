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
from tests.transforms.called_kernels import Parts

CASES = Path(__file__).parents[1] / "cases" / "apps"
FUSE = Options(transforms=("fuse", "swap"), split_min_iterations=0)
Same = Callable[..., tuple[Remark, ...]]
N = "integer, intent(in) :: n\n    "
Q, F = "real(8), intent(in) :: q(n)\n    ", "real(8), intent(inout) :: f(n)"


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


SECTION = Parts(
    declared=N + "real(8), intent(in) :: q(0:)\n    real(8), intent(inout) :: f(-1:)",
    before="f(lbound(f, 1)) = size(q) + ubound(q, 1) + ubound(f, 1)",
    main="real(8) :: a(0:30, 2), g(10)",
    calls="call flux(a(2:20:2, k), g, 9)\n    call update(g, f, 9)",
)


def test_sections_bounds_and_sizes_are_those_of_the_dummies() -> None:
    lines = opened_anyway(SECTION.text)
    assert "g(merge(-1, 1, size(g, 1) > 0) + 2) = 10 + 9 + merge(size(g, 1) - 2, 0, size(g, 1) > 0)" in lines
    assert "g(i + 2) = 0.5_8*(a((i + 1)*2 + 2, k) - a(i*2 + 2, k))" in lines


APPLIED = {
    "assumed_shape": Parts(dummies="q, f", declared="real(8), intent(in) :: q(:)\n    real(8), intent(inout) :: f(0:)\n    integer :: n",
                           before="", calls="call kernel_flux(q, f)\n    call update(q, f, n)",
                           procedures="subroutine kernel_flux(q, f)\n    real(8), intent(in) :: q(0:)\n    real(8), intent(inout) :: f(0:)\n"
                           "    integer :: i\n    do concurrent (i = 0:ubound(q, 1) - 1)\n      f(i) = q(i + 1) - q(i)\n    end do\n  end subroutine"),
    "expression_for_a_scalar": Parts(dummies="q, f, n, a", declared=N + Q + F + "\n    real(8), intent(in) :: a", factor="a",
                                     calls="call flux(q, f, n, 2*dt)\n    call update(q, f, n)"),
    "element_for_a_scalar": Parts(dummies="q, f, n, a", declared=N + Q + F + "\n    real(8), intent(in) :: a", factor="a",
                                  calls="call flux(q, f, n, c(k))\n    call update(q, f, n)"),
    "by_value": Parts(dummies="q, f, n, a", declared=N + Q + F + "\n    real(8), value :: a", factor="a",
                      calls="call flux(q, f, n, dt)\n    call update(q, f, n)"),
    "absent": Parts(dummies="q, f, n, a", declared=N + Q + F + "\n    real(8), intent(in), optional :: a",
                    before="if (present(a)) f(1) = a"),
    "counted_by_reference": Parts(dummies="q, f, n, a", declared=N + Q + F + "\n    real(8), intent(inout) :: a", before="a = a*0.5d0",
                                  calls="call flux(q, f, n, dt)\n    call update(q, f, n)"),
    "column": Parts(calls="call flux(r(:, k), f, n)\n    call update(r(:, k), f, n)"),
    "last_dimension_smaller": Parts(calls="call flux(q, f, n - 1)\n    call update(q, f, n - 1)"),
    "nested": Parts(calls="call both(q, f, n)", procedures="subroutine both(a, b, n)\n    integer, intent(in) :: n\n"
                    "    real(8), intent(inout) :: a(n), b(n)\n    call flux(a, b, n)\n    call update(a, b, n)\n  end subroutine"),
    "own_loop_next_to_a_call": Parts(calls="call flux(q, f, n)\n    do concurrent (k = 2:n - 1)\n      q(k) = q(k) + f(k) - f(k - 1)\n    end do"),
    "captured_in_a_block": Parts(calls="associate (x => r(:, k + 0))\n      call flux(x, f, n)\n      call update(x, f, n)\n    end associate"),
    "return_at_the_end": Parts(after="return"),
    "constants_of_its_own": Parts(declared=N + Q + F + "\n    real(8), parameter :: w(2) = [0.25d0, 0.75d0]", factor="w(2)"),
    "module_variable": Parts(module="real(8), private :: weight = 0.75d0", factor="weight", main="real(8) :: weight", start="weight = 0"),
    "the_same_names": Parts(declared=N + Q + F + "\n    real(8) :: c, t, dt", before="c = 0.5d0\n    t = 3\n    dt = c*t", factor="dt",
                            calls="call flux(q, f, n)\n    call update(q, f, n)\n    c(1) = c(1)*dt"),
    "loop_variable_as_argument": Parts(dummies="q, f, n, a", declared=N + Q + F + "\n    integer, intent(in) :: a", factor="real(a, 8)",
                                       calls="call flux(q, f, n, t)\n    call update(q, f, n)"),
    "print_behind_the_loops": Parts(calls="call flux(q, f, n)\n    call update(q, f, n)\n    if (t == 2) print *, t"),
}  # fmt: skip


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


def argument(declared: str, given: str, dummy: str = "a", **parts: str) -> Parts:
    """flux with one more argument."""
    calls = f"call flux(q, f, n, {given})\n    call update(q, f, n)"
    return Parts(dummies=f"q, f, n, {dummy}", declared=f"{N}{Q}{F}\n    {declared}", calls=calls, **parts)


REFUSED = {
    "a return that is not its last": Parts(before="if (n < 3) return"),
    "a stop statement": Parts(before="if (n < 3) stop 2"),
    "an input/output statement": Parts(before="if (n < 0) open (unit=7, status='scratch')"),
    "input (read)": Parts(before="if (n < 0) read (*, *) f(1)"),
    "kept between calls": Parts(declared=N + Q + F + "\n    integer, save :: count = 0", before="count = count + 1"),
    "that is allocatable": Parts(declared=N + Q + F + "\n    real(8), allocatable :: w(:)", before="w = q"),
    "that is pointer": Parts(declared=N + Q + F + "\n    real(8), pointer :: w"),
    "common block": Parts(declared=N + Q + F + "\n    real(8) :: w\n    common /shared/ w", before="w = 1"),
    "names h, which is passed to it as well": Parts(
        module="real(8) :: h(10) = 0", before="h(1) = h(1) + f(2)", calls="call flux(q, h, n)\n    call update(q, h, n)"),
    "is passed twice": Parts(dummies="q, f, n, x", declared=N + Q + F + "\n    real(8), intent(in) :: x(n)",
                             calls="call flux(q, f, n, f)\n    call update(q, f, n)"),
    "an expression, not an array": Parts(calls="call flux(q + 1, f, n)\n    call update(q, f, n)"),
    "from which on they are taken in sequence": Parts(calls="call flux(q(2), f(2), n - 1)\n    call update(q, f, n)"),
    "another rank": Parts(calls="call flux(r, f, n)\n    call update(q, f, n)"),
    "vector subscript": argument("real(8), intent(in) :: a(:)", "r([3, 1], 2)", before="f(1) = a(1)"),
    "stride that is not constant": argument("real(8), intent(in) :: a(:)", "q(1:n:k)", before="f(1) = a(1)"),
    "another shape than its argument": argument("real(8), intent(in) :: a(2, 5)", "r", before="f(1) = a(1, 2)"),
    "assumed size": argument("real(8), intent(in) :: a(*)", "q", before="f(1) = a(1)"),
    "type character": argument("character(len=*), intent(in) :: a", "'x'"),
    "optional argument that is absent": Parts(
        dummies="q, f, n, a", declared=N + Q + F + "\n    real(8), intent(in), optional :: a", before="f(1) = merge(1d0, 2d0, n > 3 .and. present(a))",
        after="if (n > 99) f(1) = a"),
    "an argument a that is a target": argument("real(8), intent(in), target :: a", "dt"),
    "a procedure as its argument": argument("real(8), external :: a", "half",
                                            procedures="real(8) function half(x)\n    real(8) :: x\n    half = 0.5d0*x\n  end function"),
    "not modelled": Parts(before="call random_number(f(1))"),
}  # fmt: skip


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


UNFUSED = {
    "the loops are not adjacent": Parts(before="f(n) = 0.5d0*q(1)", calls="call update(q, f, n)\n    call flux(q, f, n)"),
    "they do not run in every iteration": Parts(
        calls="if (t > 1) then\n      call flux(q, f, n)\n      call update(q, f, n)\n    end if"),
    "which are not producer and consumer": Parts(
        main="real(8) :: g(10) = 0, h(10) = 1", calls="call flux(q, f, n)\n    call update(g, h, n)"),
}


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
    assert {r.transform for r in result.remarks if reason in r.reason and r.status == "refused"} == {"fuse", "swap", "inline"}


def test_one_call_alone_is_not_applicable() -> None:
    result = pipeline.transform(parsed(Parts(calls="call flux(q, f, n)\n    q(1) = f(2)").text), FUSE)
    assert [status for status, _ in inlined(result.remarks)] == ["not-applicable"]


def test_recursion_is_refused() -> None:
    text = Parts().text.replace("subroutine flux", "recursive subroutine flux").replace(
        "    do concurrent (i = 1:n - 1)", "    if (n < 0) call flux(q, f, n)\n    do concurrent (i = 1:n - 1)"
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
