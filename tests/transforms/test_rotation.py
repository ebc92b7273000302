"""Time loops that exchange arrays: what they become, what keeps the exchange, and that nothing else is printed."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from polystencil import pipeline
from polystencil.codegen import generate
from polystencil.ir.printer import print_program
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.runtime import load
from polystencil.testing.exchanging_programs import random_exchange_program
from polystencil.transforms.rotation import rotation
from tests.transforms.conftest import gfortran_output, output_of, parsed

LOOP = """program p
  implicit none
  real, allocatable :: a(:), b(:), t(:)
  integer :: i, k
  allocate (a(9), b(9))
  a = 1.0
  b = 2.0
  do k = 1, 5
    do concurrent (i = 2:8)
      b(i) = a(i - 1) + a(i + 1) + k
    end do
    call move_alloc(a, t)
    call move_alloc(b, a)
    call move_alloc(t, b)
  end do
  print *, a, b, k
end program
"""
LOOK = "contains\n subroutine look()\n print *, a(1)\n end subroutine\nend program"
GOLDEN = """    turns = max(last - int(first, 8) + 1_8, 0_8)/2_8
    do turn = 1_8, turns
      k = first + (turn - 1_8)*2_8
      do concurrent (i = 2:8)
        b(i) = a(i - 1) + a(i + 1) + k
      end do
      k = k + 1
      do concurrent (i = 2:8)
        a(i) = b(i - 1) + b(i + 1) + k
      end do
    end do
    do k = int(first + turns*2_8, 4), last
"""
REFUSED = {
    "a target": (LOOP.replace("allocatable ::", "allocatable, target ::"), "another name"),
    "a temporary used elsewhere": (LOOP.replace("  print", "  print *, allocated(t)\n  print"), "temporary"),
    "an iteration that ends early": (LOOP.replace("    call move_alloc(a, t)", "    if (k == 3) exit\n    call move_alloc(a, t)"),
                                     "end early"),
    "a step": (LOOP.replace("do k = 1, 5", "do k = 1, 5, 2"), "step"),
    "a lost array": (LOOP.replace("    call move_alloc(t, b)\n", "").replace("print *, a, b, k", "print *, a, k")
                     .replace("b(i) = a", "if (.not. allocated(b)) cycle\n b(i) = a"), "loses"),
    "a procedure that sees it": (LOOP.replace("    call move_alloc(a, t)", "    call look()\n    call move_alloc(a, t)")
                                 .replace("end program", LOOK),
                                 "host association"),
}  # fmt: skip


def rotations(remarks: tuple[Remark, ...]) -> list[Remark]:
    return [r for r in remarks if r.transform == "rotation"]


def test_text() -> None:
    result = rotation(parsed(LOOP))
    assert [r.status for r in result.remarks] == ["applied"]
    assert GOLDEN in print_program(result.program)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    text, reason = REFUSED[name]
    result = rotation(parsed(text))
    assert [r.status for r in result.remarks] == ["refused"]
    assert reason in result.remarks[0].reason


def test_not_applicable() -> None:
    plain = LOOP.replace("    call move_alloc(a, t)\n    call move_alloc(b, a)\n    call move_alloc(t, b)\n", "")
    program = parsed(plain)
    assert rotation(program).program == program
    assert not rotation(program).remarks


@pytest.mark.parametrize("transforms", ["fuse", "skew", "all"])
def test_output_is_unchanged(transforms: str, same: Callable[..., tuple[Remark, ...]]) -> None:
    remarks = same(LOOP, transforms if transforms == "all" else (transforms,), cache_bytes=16)
    assert [r.status for r in rotations(remarks)] == ["applied"]


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    program = parsed(random_exchange_program(Random(seed)))
    wanted = output_of(program)
    for cores in (0, 2):
        options = Options(transforms="all", cores=cores, cache_bytes=16, core_cache_bytes=16, split_min_iterations=0, fp="strict")
        transformed = pipeline.transform(program, options)
        assert output_of(transformed.program, "random", seed) == wanted
    if seed % 10 == 0:
        assert gfortran_output(print_program(transformed.program), tmp_path) == wanted
        out = io.StringIO()
        assert load(generate(transformed.program, options), None, options).run((), stdout=out) == 0
        assert f"{out.getvalue()}[0]" == wanted


def test_most_random_programs_are_turned() -> None:
    applied = sum(
        any(r.status == "applied" for r in rotation(parsed(random_exchange_program(Random(seed)))).remarks) for seed in range(60)
    )
    assert applied >= 50
