"""Integer division by zero inside of kernels is an error at its line, never a number."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest

from polystencil.codegen.generated import GeneratedProgram
from polystencil.errors import FortranRuntimeError
from polystencil.options import Options
from polystencil.runtime import load
from polystencil.runtime.cuda_cpu import CudaCpuDevice
from polystencil.runtime.opencl import OpenCLDevice

TEXT = """
program p
  implicit none
  integer :: a(100), b(100), i
  b = [(i - {zero_at}, i = 1, 100)]
  do concurrent (i = 1:100)
    a(i) = part({operation})
  end do
  print *, sum(a)
contains
  pure integer function part(x)
    integer, intent(in) :: x
    part = x
  end function
end program
"""


@pytest.mark.parametrize("operation", ["1000/b(i)", "mod(7, b(i))", "modulo(7, b(i))"])
@pytest.mark.parametrize("copying", [False, True])
def test_division_by_zero_is_located(generated: Callable[..., GeneratedProgram], operation: str, copying: bool) -> None:
    made = generated(TEXT.format(zero_at=50, operation=operation))
    exe = load(made, OpenCLDevice(copying=copying), Options())
    for _ in range(2):  # the flag is lowered again
        with pytest.raises(FortranRuntimeError, match=r"test\.f90:7:5: integer division by zero"):
            exe.run(stdout=io.BytesIO())
    good = load(generated(TEXT.format(zero_at=200, operation=operation)), OpenCLDevice(copying=copying), Options())
    assert good.run(stdout=io.BytesIO()) == 0


@pytest.mark.parametrize("kind", ["opencl", "cuda_cpu"])
def test_nothing_is_printed_after_the_division(generated: Callable[..., GeneratedProgram], kind: str) -> None:
    device = OpenCLDevice() if kind == "opencl" else CudaCpuDevice()
    out = io.BytesIO()
    made = generated(TEXT.format(zero_at=50, operation="1000/b(i)"), target=kind)
    with pytest.raises(FortranRuntimeError, match=r"test\.f90:7:5: integer division by zero"):
        load(made, device, Options(target=kind)).run(stdout=out)  # type: ignore[arg-type]  # one of the targets
    assert out.getvalue() == b""


def test_a_division_that_is_not_reached_is_no_error(output: Callable[..., str]) -> None:
    text = TEXT.format(zero_at=50, operation="0").replace(
        "a(i) = part(0)", "a(i) = 0\n if (b(i) /= 0) a(i) = 1000/b(i)"
    )
    assert int(output(text)) == sum(int(1000 / b) for b in range(-49, 51) if b)


def test_the_smallest_integer_divided_by_minus_one_does_not_stop_the_process(output: Callable[..., str]) -> None:
    text = TEXT.format(zero_at=0, operation="(-huge(1) - 1 + 0*i)/(b(i)*0 - 1)").replace("sum(a)", "a(1)")
    assert int(output(text)) == np.iinfo(np.int32).min


def test_kernels_that_divide_by_constants_need_no_flag(generated: Callable[..., GeneratedProgram]) -> None:
    made = generated(TEXT.format(zero_at=0, operation="b(i)/3 + mod(b(i), 5)"))
    assert "FAILED" not in made.host_source
