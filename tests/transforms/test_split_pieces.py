"""Loops inside of tiles become pieces without tests, in one to three dimensions; few iterations stay as they are."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from polystencil import pipeline
from polystencil.codegen import generate
from polystencil.codegen.vector_rows import row_hint
from polystencil.ir.directives import GENERAL, IN_TILE
from polystencil.ir.program import Program
from polystencil.ir.statements import ParallelLoop
from polystencil.ir.traversal import procedures_of, walk_statements
from polystencil.options import Options
from polystencil.runtime import load
from polystencil.transforms import skew_tiles, split_pieces
from tests.transforms.conftest import gfortran_output, output_of, parsed

CUBE = """program p
  call sweep({n}, {m}, {l})
contains
  subroutine sweep(n, m, l)
    integer, intent(in) :: n, m, l
    real :: a(n, m, l), b(n, m, l)
    integer :: i, j, k, t
    do k = 1, l
      do j = 1, m
        do i = 1, n
          a(i, j, k) = real(mod(i*7 + j*5 + k*3, 11))
        end do
      end do
    end do
    do t = 1, 5
      do concurrent (k = 1:l, j = 1:m, i = 1:n)
        b(i, j, k) = flux(a, i, j, k, n, m, l)
      end do
      do concurrent (k = 1:l, j = 1:m, i = 1:n)
        a(i, j, k) = 0.5*(a(i, j, k) + b(i, j, k))
      end do
    end do
    print *, a
  end subroutine
  pure real function flux(a, i, j, k, n, m, l)
    integer, intent(in) :: i, j, k, n, m, l
    real, intent(in) :: a(n, m, l)
    flux = 0.0
    if (i > 1) flux = flux + a(i - 1, j, k)
    if (i < n - 1) flux = flux + 0.25*a(i + 2, j, k)
    if (j > 1 .and. j < m) flux = flux + a(i, j - 1, k) - a(i, j + 1, k)
    if (k == 1) then
      flux = flux + 2.0*a(i, j, k)
    else if (k == l) then
      flux = flux - a(i, j, k - 1)
    else
      flux = flux + 0.125*(a(i, j, k - 1) + a(i, j, k + 1))
    end if
  end function
end program
"""


@pytest.fixture(autouse=True)
def _few_rows_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skew_tiles, "NARROWEST", 0)
    monkeypatch.setattr(skew_tiles, "LEAST_ROWS", 3)


def options(transforms: tuple[str, ...]) -> Options:
    return Options(transforms=transforms, cores=2, core_cache_bytes=64, cache_bytes=64, split_min_iterations=0, fp="strict")


def loops_in_tiles(program: Program) -> list[ParallelLoop]:
    return [
        st for procedure in procedures_of(program) for st in walk_statements(procedure.body)
        if isinstance(st, ParallelLoop) and IN_TILE in st.directives
    ]  # fmt: skip


@pytest.mark.parametrize("sizes", [(6, 5, 7), (9, 4, 12), (3, 3, 9), (2, 1, 8), (1, 2, 3)])
@pytest.mark.parametrize("transforms", [("skew", "split"), ("skew", "split", "jam")])
def test_three_dimensions(sizes: tuple[int, int, int], transforms: tuple[str, ...], tmp_path: Path) -> None:
    program = parsed(CUBE.format(n=sizes[0], m=sizes[1], l=sizes[2]))
    wanted = output_of(program)
    transformed = pipeline.transform(program, options(transforms))
    assert any(r.transform == "split" and r.status == "runtime-checked" for r in transformed.remarks)
    assert output_of(transformed.program, "random") == wanted
    out = io.StringIO()
    assert load(generate(transformed.program, options(transforms)), None, options(transforms)).run((), stdout=out) == 0
    assert f"{out.getvalue()}[0]" == wanted
    from polystencil.ir.printer import print_program

    for openmp in (False, True):
        assert gfortran_output(print_program(transformed.program, openmp=openmp), tmp_path) == wanted


def test_pieces_are_the_interior_the_margins_and_one_general_loop() -> None:
    program = parsed(CUBE.format(n=9, m=9, l=9))
    transformed = pipeline.transform(program, options(("skew", "split"))).program
    loops = loops_in_tiles(transformed)
    general = [loop for loop in loops if GENERAL in loop.directives]
    # margins: i at 1 and at the last two, j and k at both ends; the other launch has no tests
    assert len(general) == 1
    assert len(loops) - len(general) - 1 == 1 + 3 + 2 + 2


def test_rows_are_vector_loops_where_values_are_numbers() -> None:
    from polystencil.codegen.dialect import CUDA, OPENCL

    program = parsed(CUBE.format(n=9, m=9, l=9))
    loops = loops_in_tiles(pipeline.transform(program, options(("skew", "split"))).program)
    for loop in loops:
        assert row_hint(loop, OPENCL) == ("" if GENERAL in loop.directives else "PS_ROW_4")
        assert row_hint(loop, CUDA) == ""


SHORT = """program p
  real :: a(4, 30), b(4, 30)
  integer :: i, j, t
  a = 1.0
  b = 2.0
  do t = 1, 4
    do concurrent (j = 1:30, i = 1:4)
      b(i, j) = a(i, j)
      if (i > 3) b(i, j) = 2.0*a(i, j)
      if (i < 2) b(i, j) = 3.0*a(i, j)
      if (i == 3) b(i, j) = b(i, j) + 1.0
    end do
    do concurrent (j = 1:30, i = 1:4)
      a(i, j) = 0.5*b(i, j)
    end do
  end do
  print *, a
end program
"""


def test_a_loop_as_long_as_its_margins() -> None:
    program = parsed(SHORT)
    result = pipeline.transform(program, options(("skew", "split")))
    assert output_of(result.program, "random") == output_of(program)


def test_long_bodies_get_a_loop_for_a_whole_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_pieces, "MOST_NODES", 10)
    program = parsed(CUBE.format(n=9, m=9, l=9))
    transformed = pipeline.transform(program, options(("skew", "split"))).program
    loops = [loop for loop in loops_in_tiles(transformed) if GENERAL not in loop.directives]
    assert len(loops) - 1 == 1 + 2 + 2 + 2
    assert output_of(transformed, "random") == output_of(program)
