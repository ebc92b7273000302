"""unroll: what is unrolled and what is not, factors, directives, and results that keep every bit."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from polystencil import pipeline
from polystencil.errors import SourceText
from polystencil.ir.interpreter import run_program
from polystencil.ir.printer import print_program
from polystencil.ir.program import Program
from polystencil.options import Options, options_from_environment, transforms_from_text
from polystencil.remarks import Remark

HERE = Path(__file__).resolve().parent.parent / "legality" / "unroll"
CASES = {p.stem: p for p in sorted(HERE.glob("*.json"))}
UNROLL = Options(transforms=("unroll",), fp="strict")

LOOP = """
subroutine s(a, b, r, n, m)
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(m), b(m)
  real(8), intent(inout) :: r(n)
  integer :: i
  do concurrent (i = 1:n)
    block
      integer :: k
      real(8) :: t
      t = 0
      {directive}
      do k = {first}, {last}, {step}
        {body}
      end do
      r(i) = t + k
    end block
  end do
end subroutine
program p
  real(8) :: a(40), b(40), r(12)
  integer :: i
  interface
    subroutine s(a, b, r, n, m)
      integer, intent(in) :: n, m
      real(8), intent(in) :: a(m), b(m)
      real(8), intent(inout) :: r(n)
    end subroutine
  end interface
  do i = 1, 40
    a(i) = 1.0d0/i
    b(i) = 3.0d0 - i
  end do
  call s(a, b, r, 12, 40)
  print *, r
end program
"""


def parsed(
    directive: str = "", first: str = "1", last: str = "m", step: str = "1", body: str = "t = t + a(k)"
) -> Program:
    text = LOOP.format(directive=directive, first=first, last=last, step=step, body=body)
    return pipeline.parse([SourceText("t.f90", text)], {}, [])


def decision(program: Program, options: Options = UNROLL) -> Remark:
    remarks = pipeline.transform(program, options).remarks
    (found,) = (r for r in remarks if r.transform == "unroll" and r.procedure == "s" and r.span.line > 11)
    return found


def printed(program: Program) -> bytes:
    stream = io.BytesIO()
    run_program(program, stdout=stream, stdin=io.BytesIO())
    return stream.getvalue()


@pytest.mark.parametrize(
    ("changes", "factor"),
    [
        ({}, 8),
        ({"body": "t = t + a(k)*b(k)"}, 8),
        ({"body": "t = t + a(k)*b(k) + a(41-k)*b(41-k)"}, 4),
        ({"body": "t = t + a(k) + a(k)"}, 8),
        ({"first": "i", "last": "20", "step": "3"}, 8),
        ({"first": "m", "last": "i", "step": "-2"}, 8),
        ({"last": "i - 3"}, 8),
        ({"body": "if (mod(k, 3) == 0) cycle\n t = t + a(k)"}, 8),
        ({"body": "block\n real(8) :: q\n q = a(k)\n t = t + q*q\n end block"}, 8),
        ({"directive": "!$polystencil unroll(3)"}, 3),
    ],
)
def test_unrolled_loops_keep_every_bit(changes: dict[str, str], factor: int) -> None:
    program = parsed(**changes)
    found = decision(program)
    assert (found.status, found.details["factor"]) == ("applied", factor)
    transformed = pipeline.transform(program, UNROLL).program
    assert printed(transformed) == printed(program)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"last": "10"}, "constant"),
        ({"step": "i"}, "step is not constant"),
        ({"body": "t = t + 1"}, "reads no array"),
        ({"body": "if (t > 3) exit\n t = t + a(k)"}, "leaves the loop"),
        ({"body": "t = t + sum(a(1:k))"}, "nested loop"),
        ({"directive": "!$polystencil nounroll"}, "directive"),
        ({"directive": "!$polystencil unroll(1)"}, "directive"),
        ({"directive": "!dir$ unroll"}, "directive"),
        ({"body": "t = t + " + " + ".join(f"a(k)*b({n}+k-{n})" for n in range(40))}, "not small"),
    ],
)
def test_refused(changes: dict[str, str], words: str) -> None:
    program = parsed(**changes)
    found = decision(program)
    assert found.status == "refused"
    assert words in found.reason
    after = dict(pipeline.transform(program, UNROLL).after)
    assert after["unroll"] == after["split"]


def test_no_bound_makes_the_test_wrap() -> None:
    body = "t = t + a(k - 2147483600)"
    program = parsed(first="2147483602", last="2147483640 + min(i, 6)", body=body)
    assert decision(program).status == "applied"
    assert printed(pipeline.transform(program, UNROLL).program) == printed(program)


def test_disabled_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYSTENCIL_DISABLE", "unroll")
    found = decision(parsed(), options_from_environment(UNROLL))
    assert found.status == "refused"
    assert "not selected" in found.reason


@pytest.mark.parametrize("name", CASES)
def test_the_legality_suite(name: str) -> None:
    case = json.loads(CASES[name].read_text())
    program = pipeline.parse([CASES[name].with_suffix(".f90")], {}, [])
    done = pipeline.transform(program, Options(transforms=transforms_from_text(case["options"]["transforms"])))
    for expected in case["expect"]:
        about = [r for r in done.remarks if r.transform == "unroll" and r.span.line == expected["line"]]
        assert [r.status for r in about] == [expected["status"]], about
        words = expected["reason_keywords"]
        assert not words or any(w in about[0].reason.lower() for w in words)
    assert printed(done.program) == CASES[name].with_suffix(".expected").read_bytes()


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="needs gfortran")
@pytest.mark.parametrize("name", CASES)
def test_gfortran_agrees(name: str, tmp_path: Path) -> None:
    program = pipeline.parse([CASES[name].with_suffix(".f90")], {}, [])
    (tmp_path / "p.f90").write_text(print_program(pipeline.transform(program, UNROLL).program))
    command = ["gfortran", "-O0", "-ffp-contract=off", "-fcheck=all", "-J", str(tmp_path), "p.f90", "-o", "p"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "p"], capture_output=True, check=False)
    assert done.stdout == CASES[name].with_suffix(".expected").read_bytes()


CALLED = """
module m
contains
  pure real(8) function dot(a, n, from)
    integer, intent(in) :: n, from
    real(8), intent(in) :: a(n)
    integer :: k
    real(8) :: local(n)
    local = 1
    dot = 0
    do k = from, n
      dot = dot + a(k)*local(k)
    end do
  end function
  subroutine run(a, r, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: r(n)
    integer :: i
    do concurrent (i = 1:n)
      r(i) = dot(a, n, i)
    end do
    do i = 2, n
      r(i) = 0.5d0*r(i - 1) + a(i)
    end do
  end subroutine
end module
program p
  use m
  real(8) :: a(21), r(21)
  integer :: i
  do i = 1, 21
    a(i) = 1.0d0/i
  end do
  call run(a, r, 21)
  print *, r
end program
"""


def test_procedures_that_kernels_call_and_loops_in_order() -> None:
    program = pipeline.parse([SourceText("t.f90", CALLED)], {}, [])
    done = pipeline.transform(program, UNROLL)
    found = {r.span.line: (r.status, r.details.get("loads")) for r in done.remarks if r.transform == "unroll"}
    assert found[11] == ("applied", 1)  # the local array is not in global memory
    assert found[23] == ("applied", 2)  # one work item, in order
    assert printed(done.program) == printed(program)


@pytest.mark.parametrize("target", ["opencl", "cuda_cpu"])
def test_kernels_keep_every_bit(target: str) -> None:
    program = pipeline.parse([SourceText("t.f90", CALLED)], {}, [])
    stream = io.BytesIO()
    options = Options(target=target, transforms=("unroll",), fp="strict")  # type: ignore[arg-type]  # one of the targets
    pipeline.executable(program, options).run((), stdout=stream)
    assert stream.getvalue() == printed(program)
