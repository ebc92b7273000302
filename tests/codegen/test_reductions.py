"""Reductions in pieces: what they give, NaNs and zeros of both signs included, and when they stay in order."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from polystencil import pipeline
from polystencil.codegen.generated import GeneratedProgram
from polystencil.errors import SourceText
from polystencil.frontend import read_program

Interpreted = Callable[[str], str]
EXTREMA = """
program p
  implicit none
  integer, parameter :: n = 20000
  real :: a(n), s(8), zero, big, small
  integer :: i, k, c(n)
  integer :: total, bits, most, product_
  logical :: all_, odd
  zero = 0
  do concurrent (i = 1:n)
    c(i) = mod(i*7919, 1013) - 500
    a(i) = mod(i*7919, 4) - 1.5
    if (mod(i, 37) == 0) a(i) = zero/zero
    if (mod(i, 3) == 0) a(i) = merge(zero, -zero, mod(i, 2) == 0)
  end do
  s = [zero/zero, -1.0, 0.0, -zero, 7.0, -7.0, -huge(zero), huge(zero)]
  do k = 1, 8
    {extrema}
  end do
  total = 5; bits = 0; most = -huge(1); all_ = .true.; odd = .false.; product_ = 1
  do concurrent (i = 1:n) reduce(+:total) reduce(ieor:bits) reduce(max:most) reduce(.and.:all_) reduce(.neqv.:odd) &
      reduce(*:product_)
    total = total + c(i)*c(i)*100000
    bits = ieor(bits, c(i))
    most = max(most, c(i))
    all_ = all_ .and. c(i) < 1000
    odd = odd .neqv. c(i) > 0
    product_ = product_*(2*c(i) + 1)
  end do
  print *, total, bits, most, all_, odd, product_
end program
"""
ONE = """
    big = s(k)
    do i = 1, n
      if (a(i) {test} big) big = a(i)
    end do
    print '(2z9)', transfer(big, 1), k
"""


@pytest.mark.parametrize("fp", ["strict", "contract"])
def test_exact_reductions_in_pieces_are_those_of_the_order(interpreted: Interpreted, fp: str) -> None:
    text = EXTREMA.format(extrema="".join(ONE.format(test=t) for t in (">", ">=", "<", "<=")))
    program = pipeline.transform(read_program([SourceText("test.f90", text)]), pipeline.Options()).program
    exe = pipeline.executable(program, pipeline.Options(fp=fp))  # type: ignore[arg-type]  # one of the modes
    assert sum("partial_" in k.source for k in exe.kernels) >= 10
    stream = io.BytesIO()
    exe.run(stdout=stream)
    assert stream.getvalue().decode() == interpreted(text)


SUM = """
program p
  real(8) :: a(100000), s
  integer :: i
  do concurrent (i = 1:100000)
    a(i) = sin(real(i, 8))
  end do
  s = 0.25d0
  do concurrent (i = 1:100000) reduce(+:s)
    s = s + a(i)
  end do
  print '(z16.16)', s
end program
"""


def test_sums_of_reals_stay_in_order_under_strict(
    output: Callable[..., str], generated: Callable[..., GeneratedProgram], interpreted: Interpreted
) -> None:
    kernels = generated(SUM, fp="strict").kernels
    assert not any("partial_s" in k.source for k in kernels)
    assert output(SUM, fp="strict") == interpreted(SUM)
    kernels = generated(SUM, fp="contract").kernels
    assert any("partial_s" in k.source for k in kernels)
    first = output(SUM, fp="contract")
    assert all(output(SUM, fp="contract") == first for _ in range(3))


def test_small_loops_are_not_cut(generated: Callable[..., GeneratedProgram]) -> None:
    assert not any("partial_s" in k.source for k in generated(SUM.replace("100000", "100"), fp="fast").kernels)


def test_loops_of_no_iterations_keep_the_value(output: Callable[..., str]) -> None:
    text = """
program p
  integer :: n, i, total
  real :: s, big
  read_size: block
    character(8) :: word
    n = command_argument_count()
  end block read_size
  total = 7; s = -0.0; big = -3
  do concurrent (i = 1:n) reduce(+:total, s) reduce(max:big)
    total = total + i
    s = s + i
    big = max(big, real(i))
  end do
  print *, total, s, big
end program
"""
    assert output(text).split() == ["7", "-0.00000000", "-3.00000000"]
