"""Random time loops give the same bits in tiles, for every number of cores, size of bands and iterations of a group."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random

import pytest

import polystencil as ps
from polystencil import pipeline
from polystencil.codegen import generate
from polystencil.ir.directives import TILE
from polystencil.ir.program import Program
from polystencil.ir.statements import ParallelLoop
from polystencil.ir.traversal import procedures_of, walk_statements
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.runtime import load
from polystencil.testing.time_loop_programs import random_time_loop
from polystencil.transforms import skew_tiles

CHOICES = (("skew",), ("skew", "split"), ("skew", "split", "jam"), ("fuse", "swap", "skew", "split", "jam"))


def tiled(program: Program, random: Random, monkeypatch: pytest.MonkeyPatch) -> tuple[Program, Options]:
    """The program in tiles of random sizes, however few rows there are."""
    monkeypatch.setattr(skew_tiles, "NARROWEST", 0)
    monkeypatch.setattr(skew_tiles, "LEAST_STEPS", random.randint(1, 4))
    monkeypatch.setattr(skew_tiles, "LEAST_ROWS", random.randint(1, 4))
    options = Options(
        transforms=random.choice(CHOICES), cache_bytes=64, core_cache_bytes=random.choice((1, 64, 200)),
        cores=random.randint(1, 5), split_min_iterations=0, fp="strict",
    )  # fmt: skip
    return pipeline.transform(program, options).program, options


def output(program: Program, **order: object) -> str:
    from polystencil.ir.interpreter import run_program

    out = io.StringIO()
    assert run_program(program, stdout=out, **order) == 0  # type: ignore[arg-type]  # the order of iterations
    return out.getvalue()


@pytest.mark.parametrize("seed", range(60))
def test_same_bits(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    program = ps.parse(random_time_loop(random).text, name=f"steps_{seed}.f90")
    wanted = output(program)
    for order in ("random", "reverse"):
        transformed, options = tiled(program, random, monkeypatch)
        assert output(transformed, parallel_order=order, seed=seed) == wanted, options


@pytest.mark.parametrize("seed", range(100, 106))
def test_same_bits_on_opencl(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    program = ps.parse(random_time_loop(random).text, name=f"steps_{seed}.f90")
    wanted = output(program)
    transformed, options = tiled(program, random, monkeypatch)
    out = io.StringIO()
    assert load(generate(transformed, options), None, options).run((), stdout=out) == 0
    assert out.getvalue() == wanted, options


def test_many_are_in_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    for seed in range(60):
        random = Random(seed)
        program = ps.parse(random_time_loop(random).text, name="steps.f90")
        transformed, _ = tiled(program, random, monkeypatch)
        count += any(
            isinstance(st, ParallelLoop) and TILE in st.directives
            for procedure in procedures_of(transformed)
            for st in walk_statements(procedure.body)
        )
    assert count >= 24


BLOCKS = """program blocks
  implicit none
  integer, parameter :: n = 30
  integer :: t, i
  real(8) :: a(0:n), b(0:n)
  a = [(0.5d0*mod(i*i, 7), i = 0, n)]
  b = a
  do t = 1, 7
    select case (mod(t, 3))
    case (1)
      block
        real(8) :: x
        x = t
        if (t > 2) x = 2*x
        do concurrent (i = 1:n)
          a(i) = b(i - 1) + x
        end do
      end block
    case default
      block
        real(8){saved} :: x{start}
        x = {value}
        do concurrent (i = 0:n)
          a(i) = b(i)*x
        end do
      end block
    end select
    do concurrent (i = 0:n)
      b(i) = 0.5d0*a(i)
    end do
  end do
  print *, t, a, b
end program
"""


@pytest.mark.parametrize("cores", [0, 2])
@pytest.mark.parametrize("saved", [False, True])
def test_variables_of_blocks(saved: bool, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skew_tiles, "NARROWEST", 0)
    words = {"saved": ", save", "start": " = 1", "value": "x*0.5d0"} if saved else {"saved": "", "start": "", "value": "t"}
    program = ps.parse(BLOCKS.format(**words), name="blocks.f90")
    options = Options(transforms=("skew",), cache_bytes=64, core_cache_bytes=64, cores=cores, fp="strict")
    result = pipeline.transform(program, options)
    assert [r.status for r in result.remarks if r.transform == "skew"] == ["refused" if saved else "runtime-checked"]
    assert output(result.program, parallel_order="random", seed=1) == output(program)


NAMED_IN_A_FUNCTION = """module factors
  implicit none
  real(8) :: outside = 0.75d0
contains
  pure real(8) function weighted(x)
    real(8), intent(in) :: x
    weighted = outside*x
  end function
end module
program steps
  use factors
  implicit none
  integer, parameter :: n = 30
  integer :: t, i
  real(8) :: a(0:n), b(0:n)
  a = [(0.5d0*mod(i*i, 7), i = 0, n)]
  b = a
  do t = 1, 7
    outside = 0.5d0*outside + 0.25d0
    do concurrent (i = 1:n)
      a(i) = weighted(b(i - 1)) + 1
    end do
    do concurrent (i = 0:n)
      b(i) = number(a(i))
    end do
  end do
  print *, t, a, b
contains
  pure real(8) function number(x)
    real(8), intent(in) :: x
    number = x + t
  end function
end program
"""


def test_scalars_that_a_called_function_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skew_tiles, "NARROWEST", 0)
    monkeypatch.setattr(skew_tiles, "SMALL", 1 << 20)
    program = ps.parse(NAMED_IN_A_FUNCTION, name="steps.f90")
    for cores in (0, 2):
        options = Options(transforms=("skew",), cache_bytes=64, core_cache_bytes=64, cores=cores, fp="strict")
        result = pipeline.transform(program, options)
        skews = [r for r in result.remarks if r.transform == "skew"]
        assert [r.status for r in skews] == ["runtime-checked"]
        assert ("no tiles: a function" in skews[0].reason) == (cores > 0)
        assert output(result.program, parallel_order="random", seed=1) == output(program)


TEXT = """
subroutine steps(a, b, n, nt)
  integer, intent(in) :: n, nt
  real, intent(inout) :: a(n, n), b(n, n)
  integer :: i, j, t
  do t = 1, nt
    do concurrent (j = 2:n - 1, i = 2:n - 1)
      b(i, j) = 0.25*(a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
    end do
    do concurrent (j = 2:n - 1, i = 2:n - 1)
      a(i, j) = b(i, j)
    end do
  end do
end subroutine
"""


def test_text() -> None:
    program = ps.parse(TEXT, name="steps.f90")
    options = Options(transforms=("skew",), cores=2, core_cache_bytes=1 << 20)
    golden = Path(__file__).parent / "skew_programs" / "tiles.f90"
    assert pipeline.show(program, options, "skew") == golden.read_text()


def test_remark_names_the_form() -> None:
    program = ps.parse(TEXT, name="steps.f90")
    remarks: dict[int, Remark] = {}
    for cores in (0, 2):
        options = Options(transforms=("skew",), cores=cores, core_cache_bytes=1 << 20)
        remarks[cores] = next(r for r in pipeline.transform(program, options).remarks if r.transform == "skew")
    assert "bands of rows" in remarks[0].reason
    assert "tiles of rows, one for each of 2 cores" in remarks[2].reason
    assert all(r.status == "runtime-checked" and r.details["sigma"] == 1 for r in remarks.values())
