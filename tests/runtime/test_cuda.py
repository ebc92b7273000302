"""The PyCUDA host program, on a GPU where there is one, else on the stand-in driver (tests/runtime/cuda_standin).

POLYSTENCIL_CUDA_STANDIN names the folder that cuda_standin/build.py made.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polystencil.codegen.kernel import Kernel
from polystencil.errors import DeviceError
from polystencil.options import Options
from polystencil.runtime import Executable, cuda_build, cuda_context, open_device
from tests.runtime.cuda_programs import case_runs, chosen_runs, legality_runs, run_on

RUNS = {**case_runs(), **legality_runs()}
STANDIN = os.environ.get("POLYSTENCIL_CUDA_STANDIN")
Make = Callable[..., Executable]


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyCUDA can be used."""
    if STANDIN:
        folder = Path(STANDIN)
        ctypes.CDLL(str(folder / "libcuda.so.1"), ctypes.RTLD_GLOBAL)  # before PyCUDA looks for the driver
        if str(folder / "site") not in sys.path:
            sys.path.append(str(folder / "site"))
        monkeypatch.setenv("PATH", str(folder / "bin"), prepend=os.pathsep)
    try:
        cuda_context.driver()
    except DeviceError as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize(("name", "transforms"), chosen_runs(4))
@pytest.mark.usefixtures("gpu")
def test_programs_print_what_gfortran_prints(
    name: str, transforms: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_on("cuda", transforms, RUNS[name]) == (RUNS[name].output, RUNS[name].code)


STEP = """
subroutine step(u, v, n, c)
  integer, intent(in) :: n
  real(8), intent(in) :: c
  real(8), intent(in) :: u(n)
  real(8), intent(inout) :: v(n)
  integer :: i
  do concurrent (i = 2:n-1)
    v(i) = v(i) + c*(u(i-1) + u(i+1))
  end do
end subroutine
"""


@pytest.mark.usefixtures("gpu")
def test_calls_change_arrays_in_place(executable: Make) -> None:
    exe = executable(STEP, target="cuda", fp="strict")
    u, v = np.arange(50.0), np.ones(50)
    want = v.copy()
    for _ in range(3):
        exe["step"](u, v, 50, 0.5)
        want[1:-1] += 0.5 * (u[:-2] + u[2:])
        np.testing.assert_array_equal(v, want)
        u += 1  # the host changes what the device has


@pytest.mark.usefixtures("gpu")
def test_resident_arrays_are_copied_once(executable: Make) -> None:
    exe = executable(STEP, target="cuda", fp="strict")
    u, v = np.arange(50.0), np.ones(50)
    want = v.copy()
    with exe.resident(u, v):
        for _ in range(10):
            exe["step"](u, v, 50, 0.5)
            want[1:-1] += 0.5 * (u[:-2] + u[2:])
        moved = exe.device.figures()
        assert moved["bytes_in"] == u.nbytes + v.nbytes
        assert moved["bytes_out"] == 0
    np.testing.assert_array_equal(v, want)
    assert exe.device.figures()["bytes_out"] == v.nbytes
    v[:] = 0
    exe["step"](u, v, 50, 0.5)
    np.testing.assert_array_equal(v[1:-1], 0.5 * (u[:-2] + u[2:]))


@pytest.mark.usefixtures("gpu")
def test_strided_arrays(executable: Make) -> None:
    text = "subroutine twice(a)\n real(8), intent(inout) :: a(:, :)\n integer :: i, j\n"
    text += " do concurrent (j = 1:size(a, 2), i = 1:size(a, 1))\n a(i, j) = 2*a(i, j) + i\n end do\nend subroutine\n"
    exe = executable(text, target="cuda")
    whole = np.asfortranarray(np.arange(200.0).reshape(20, 10))
    want = whole.copy(order="F")
    want[::3, 8:2:-2] = 2 * want[::3, 8:2:-2] + np.arange(1, 8)[:, None]
    exe["twice"](whole[::3, 8:2:-2])
    np.testing.assert_array_equal(whole, want)
    exe["twice"](whole)  # the same kernel with the usual strides
    np.testing.assert_array_equal(whole, 2 * want + np.arange(1, 21)[:, None])


@pytest.mark.usefixtures("gpu")
def test_more_rows_than_blocks_in_y(executable: Make) -> None:
    text = "subroutine s(a, n, m, k)\n integer, intent(in) :: n, m, k\n real(4), intent(inout) :: a(n, m, k)\n integer :: x, y, z\n"
    text += (
        " do concurrent (z = 1:k, y = 1:m, x = 1:n)\n a(x, y, z) = a(x, y, z) + x + 10*y + z\n end do\nend subroutine\n"
    )
    exe = executable(text, target="cuda")
    for shape in ((3, 70000, 2), (2, 3, 66000), (4, 5, 6)):
        a = np.zeros(shape, np.float32, order="F")
        exe["s"](a, *shape)
        x, y, z = np.meshgrid(*(np.arange(1, n + 1, dtype=np.float32) for n in shape), indexing="ij")
        np.testing.assert_array_equal(a, x + 10 * y + z)


@pytest.mark.usefixtures("gpu")
def test_memory_of_arrays_that_are_gone_is_used_again(executable: Make) -> None:
    exe = executable(STEP, target="cuda")
    sizes = set()
    for _ in range(5):
        u, v = np.arange(5000.0), np.ones(5000)
        exe["step"](u, v, 5000, 0.5)
        sizes.add(exe.device.residency._pool.active_blocks + exe.device.residency._pool.held_blocks)
        del u, v
    assert max(sizes) <= 4


@pytest.mark.usefixtures("gpu")
def test_the_device_is_asked_for_its_cache(executable: Make) -> None:
    exe = executable(STEP, target="cuda")
    assert exe.device.cache_bytes() >= 1 << 20
    if STANDIN:
        assert exe.device.cache_bytes() == 33554432
        assert exe.device.name == "CUDA: stand-in GPU"


@pytest.mark.usefixtures("gpu")
def test_an_unknown_device_is_an_error() -> None:
    with pytest.raises(DeviceError, match="no CUDA device matches 'Voodoo'"):
        open_device(Options(target="cuda", device="Voodoo"))


@pytest.mark.usefixtures("gpu")
def test_a_kernel_that_does_not_compile_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYSTENCIL_CACHE", str(tmp_path))
    broken = Kernel("k", 'extern "C" __global__ void k()\n{\n', "  wrong;\n}\n", (), (), (), 0, (1,), True)
    with pytest.raises(DeviceError, match="nvcc does not compile kernel k"):
        cuda_build.compile_cubin([(broken, ())], False, "strict", "sm_80")


def test_without_cuda_one_message_says_what_is_missing(executable: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycuda.driver", None)
    monkeypatch.setattr(cuda_context, "find_nvcc", lambda: None)
    with pytest.raises(DeviceError) as caught:
        executable(STEP, target="cuda")
    text = str(caught.value)
    assert "missing: PyCUDA, nvcc" in text
    assert "pip install 'polystencil[cuda]'" in text
    assert "cuda_cpu" in text


def test_a_driver_without_a_gpu_is_named(executable: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    class NoGpu:
        @staticmethod
        def init() -> None:
            raise RuntimeError("no CUDA-capable device is detected")

    package: Any = type(sys)("pycuda")
    package.driver = NoGpu
    monkeypatch.setitem(sys.modules, "pycuda", package)
    monkeypatch.setitem(sys.modules, "pycuda.driver", NoGpu)  # type: ignore[arg-type]  # stands for a module
    with pytest.raises(DeviceError, match=r"an NVIDIA GPU \(no CUDA-capable device is detected\)"):
        executable(STEP, target="cuda")
