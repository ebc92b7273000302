"""CUDA kernels on the CPU: every program prints what gfortran prints; arguments are packed as the driver takes them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from polystencil.codegen.kernel import Kernel, Parameter
from polystencil.errors import DeviceError
from polystencil.runtime import Executable, cuda_cpu, cuda_launcher
from polystencil.runtime.cuda_arguments import argument_layout
from polystencil.runtime.cuda_launcher import launch_shape
from tests.runtime.cuda_programs import case_runs, chosen_runs, legality_runs, run_on

RUNS = {**case_runs(), **legality_runs()}
pytestmark = pytest.mark.skipif(not any(map(shutil.which, cuda_cpu.COMPILERS)), reason="needs a C++ compiler")


@pytest.mark.parametrize(("name", "transforms"), chosen_runs(1))
def test_programs_print_what_gfortran_prints(
    name: str, transforms: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_on("cuda_cpu", transforms, RUNS[name]) == (RUNS[name].output, RUNS[name].code)


def _kernel(*kinds: tuple[str, str]) -> Kernel:
    parameters = tuple(Parameter(kind, f"p{k}", dtype) for k, (kind, dtype) in enumerate(kinds))  # type: ignore[arg-type]  # kinds of parameters
    return Kernel("k", "", "", parameters, (), (), 0, (1,), True)


def test_arguments_stand_at_multiples_of_their_alignment() -> None:
    kernel = _kernel(
        ("scalar", "int8"), ("pointer", "float32"), ("range", "index"), ("scalar", "complex128"), ("scalar", "int16")
    )
    assert [s.offset for s in argument_layout(kernel, False).slots] == [0, 8, 16, 32, 48]
    assert [s.offset for s in argument_layout(kernel, True).slots] == [0, 8, 16, 32, 48]
    assert argument_layout(kernel, False).size == 50


@pytest.mark.parametrize("name", ["b02_heat2d_residual", "b10_jacobi3d", "b18_rule110"])
def test_64_bit_indices(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cuda_launcher, "needs_64_bits", lambda *_: True)
    assert run_on("cuda_cpu", "all", RUNS[name]) == (RUNS[name].output, RUNS[name].code)


@pytest.mark.parametrize("name", ["b02_heat2d_residual", "b10_jacobi3d", "b18_rule110"])
def test_flat_grids(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cuda_launcher, "LARGEST_GRID_YZ", 1)
    assert run_on("cuda_cpu", "all", RUNS[name]) == (RUNS[name].output, RUNS[name].code)


def test_grids_cover_all_cells() -> None:
    kernel = Kernel("k", "", "", (), (), (), 4, (32, 8), False)
    assert launch_shape(kernel, (33, 8, 3, 5)) == ((2, 1, 15), (32, 8, 1))


def test_every_scalar_type_arrives(executable: Callable[..., Executable]) -> None:
    text = """
subroutine s(a, n, b1, b2, b8, r4, r8, c4, c8, flag)
  integer, intent(in) :: n
  integer(1), intent(in) :: b1
  integer(2), intent(in) :: b2
  integer(8), intent(in) :: b8
  real(4), intent(in) :: r4
  real(8), intent(in) :: r8
  complex(4), intent(in) :: c4
  complex(8), intent(in) :: c8
  logical, intent(in) :: flag
  real(8), intent(inout) :: a(n)
  integer :: i
  do concurrent (i = 1:n)
    a(i) = a(i) + b1 + b2 + b8 + r4 + r8 + real(c4) + aimag(c4) + real(c8) + aimag(c8) + merge(0.5d0, 0.0d0, flag)
  end do
end subroutine
"""
    exe = executable(text, target="cuda_cpu", fp="strict")
    a = np.zeros(5)
    exe["s"](a, 5, -3, 300, 2**40, 0.25, 0.125, 1 + 2j, 3 + 4j, True)
    np.testing.assert_array_equal(a, np.full(5, -3 + 300 + 2.0**40 + 0.25 + 0.125 + 10 + 0.5))


def test_without_a_compiler_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(DeviceError, match="install g"):
        cuda_cpu.CudaCpuDevice()


def test_a_library_is_compiled_once(
    executable: Callable[..., Executable], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYSTENCIL_CACHE", str(tmp_path))
    text = "subroutine s(a, n)\n integer, intent(in) :: n\n real, intent(inout) :: a(n)\n integer :: i\n"
    text += " do concurrent (i = 1:n)\n a(i) = 2*a(i)\n end do\nend subroutine\n"
    for _ in range(2):
        a = np.ones(7, np.float32)
        executable(text, target="cuda_cpu")["s"](a, 7)
        assert a.tolist() == [2.0] * 7
        monkeypatch.setattr(cuda_cpu.subprocess, "run", None)  # the second library must come from the cache
    assert len(list((tmp_path / "cuda_cpu").glob("*.so"))) == 1


def test_errors_show_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYSTENCIL_CACHE", str(tmp_path))
    broken = Kernel("k", 'extern "C" __global__ void k()\n{\n', "  wrong;\n}\n", (), (), (), 0, (1,), True)
    with pytest.raises(DeviceError, match=r"(?s)does not compile the kernels k.*wrong") as caught:
        cuda_cpu.compile_library(cuda_cpu.library_text([broken], False), "strict", [broken])
    assert "kernels.cpp" in str(caught.value)
