"""`polystencil compile`: what is written runs without polystencil."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.conftest import Compile

PROGRAM = """\
module steps
  implicit none
  real :: factor = 0.25
contains
  subroutine smooth(u, v, n, total)
    integer, intent(in) :: n
    real, intent(in) :: u(n)
    real, intent(inout) :: v(n)
    real, intent(out) :: total
    integer :: i
    do concurrent (i = 2:n-1)
      v(i) = mix(u(i-1), u(i), u(i+1))
    end do
    total = sum(v)
  end subroutine
  pure real function mix(a, b, c)
    real, intent(in) :: a, b, c
    mix = factor*(a + 2*b + c)
  end function
  subroutine unused()
    print *, 'unused'
  end subroutine
end module
program heat
  use steps
  implicit none
  real :: u(20), v(20), total
  integer :: i
  character(20) :: word
  do i = 1, 20
    u(i) = i*i
  end do
  v = 0
  call smooth(u, v, 20, total)
  call get_command_argument(1, word)
  print *, total, v(10), trim(word)
  if (word == 'stop') error stop 7
end program
"""
WITHOUT = "import sys, runpy; sys.modules['polystencil'] = None; sys.argv = sys.argv[1:]; "


def alone(folder: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python that cannot import polystencil, somewhere else."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + code, *arguments],
        capture_output=True, text=True, cwd=folder, timeout=120, check=False, env=environment,
    )  # fmt: skip


def test_a_compiled_program_runs_without_polystencil(tmp_path: Path, polystencil: Run) -> None:
    (tmp_path / "heat.f90").write_text(PROGRAM)
    wanted = polystencil("run", "heat.f90", "--", "word")
    assert wanted.returncode == 0, wanted.stderr
    done = polystencil("compile", "heat.f90", "-o", "out")
    assert done.returncode == 0, done.stderr
    out = tmp_path / "out"
    assert "out/heat.py" in done.stdout.split()
    kernels = list(out.glob("*.cl"))
    assert kernels
    assert all("__kernel" in k.read_text() for k in kernels)
    assert json.loads((out / "report.json").read_text())["version"] == 1
    run = f"runpy.run_path({str(out / 'heat.py')!r}, run_name='__main__')"
    got = alone(tmp_path, run, "heat.py", "word")
    assert (got.returncode, got.stdout) == (0, wanted.stdout), got.stderr
    got = alone(tmp_path, run, "heat.py", "stop")
    assert got.returncode == 7


def test_a_compiled_procedure_is_called_from_python(tmp_path: Path, polystencil: Run) -> None:
    (tmp_path / "heat.f90").write_text(PROGRAM)
    done = polystencil("compile", "heat.f90", "-o", "out", "--procedure", "smooth")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out" / "smooth.py").read_text()
    assert "def mix(" in text or "mix" in "".join(f.read_text() for f in (tmp_path / "out").glob("*.cl"))
    assert "unused" not in text
    code = (
        "import numpy as np; sys.path.insert(0, 'out'); import smooth; exe = smooth.load(); "
        "u = np.arange(1, 9, dtype=np.float32)**2; v = np.zeros_like(u); "
        "print(exe['smooth'](u, v, 8), v.tolist())\n"
        "try:\n    exe['smooth'](u.astype(float), v, 8)\nexcept Exception as e:\n    print(e)"
    )
    got = alone(tmp_path, code, "x")
    want = [0.0, *(0.25 * ((k - 1) ** 2 + 2 * k**2 + (k + 1) ** 2) for k in range(2, 8)), 0.0]
    assert got.stdout.splitlines()[0] == f"{sum(want)} {want}", got.stderr
    assert "dtype float64" in got.stdout


def test_run_time_errors_of_compiled_programs_are_located(tmp_path: Path, polystencil: Run) -> None:
    text = "program p\n integer, allocatable :: a(:)\n integer :: k\n k = 9\n allocate (a(5))\n a = 1\n print *, a(k)\nend\n"
    (tmp_path / "p.f90").write_text(text)
    assert polystencil("compile", "p.f90", "-o", "out").returncode == 0
    got = alone(tmp_path, "runpy.run_path('out/p.py', run_name='__main__')", "p.py")
    assert got.returncode == 2
    assert "p.f90:7" in got.stderr
    assert "Traceback" not in got.stderr


def test_unknown_procedures_and_targets_are_refused(tmp_path: Path, polystencil: Run) -> None:
    (tmp_path / "heat.f90").write_text(PROGRAM)
    done = polystencil("compile", "heat.f90", "-o", "out", "--procedure", "jump")
    assert done.returncode == 2
    assert "no procedure 'jump'" in done.stderr
    assert "smooth" in done.stderr
    assert polystencil("compile", "heat.f90", "-o", "out", "--target", "interpreter").returncode == 2
    assert polystencil("compile", "heat.f90", "-o", "out", "--openmp").returncode == 2


def test_transformed_fortran_compiles_and_prints_the_same(tmp_path: Path, polystencil: Run, gfortran: Compile) -> None:
    source = tmp_path / "heat.f90"
    source.write_text(PROGRAM)
    wanted = subprocess.run([gfortran([source]), "word"], capture_output=True, text=True, check=True)
    for more in ((), ("--openmp",)):
        done = polystencil("compile", "heat.f90", "-o", "out", "--target", "fortran", *more)
        assert done.returncode == 0, done.stderr
        flags = ("-fopenmp",) if more else ()
        program = gfortran([tmp_path / "out" / "program.f90"], *flags)
        assert subprocess.run([program, "word"], capture_output=True, text=True, check=True).stdout == wanted.stdout
    assert "!$omp" in (tmp_path / "out" / "program.f90").read_text()


PURE = """program pure_loops
  real(8) :: a(40, 9)
  a = 1.5d0
  call twice(a)
  print *, sum(a)
contains
  pure subroutine twice(a)
    real(8), intent(inout) :: a(:, :)
    integer :: i, j
    do j = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i, j) = 2*a(i, j) + i
      end do
    end do
  end subroutine
end program
"""


TWICE_IN_A_BOUND = """program bounds
  real(8) :: a(40, 9)
  integer :: j_last
  j_last = 3
  a = 1.5d0
  call twice(a, 2)
  print *, sum(a), j_last
contains
  subroutine twice(a, lo)
    real(8), intent(inout) :: a(:, :)
    integer, intent(in) :: lo
    integer :: i, j
    do concurrent (j = lo:merge(size(a, 2) + lo - 1, 0, size(a, 2) > 0), i = lo:merge(size(a, 1) + lo - 1, 0, size(a, 1) > 0))
      a(i - lo + 1, j - lo + 1) = 2*a(i - lo + 1, j - lo + 1) + i + j_last
    end do
  end subroutine
end program
"""


def test_calls_that_stand_twice_in_a_bound(tmp_path: Path, polystencil: Run, gfortran: Compile) -> None:
    (tmp_path / "twice.f90").write_text(TWICE_IN_A_BOUND)
    done = polystencil("compile", "twice.f90", "-o", "out", "--target", "fortran", "--openmp", "--transforms", "none")
    assert done.returncode == 0, done.stderr
    program = gfortran([tmp_path / "out" / "program.f90"], "-fopenmp", "-O2")
    wanted = subprocess.run([gfortran([tmp_path / "twice.f90"])], capture_output=True, text=True, check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == wanted.stdout


def test_pure_procedures_have_no_threads(tmp_path: Path, polystencil: Run, gfortran: Compile) -> None:
    (tmp_path / "twice.f90").write_text(PURE)
    done = polystencil("compile", "twice.f90", "-o", "out", "--target", "fortran", "--openmp")
    assert done.returncode == 0, done.stderr
    assert "!$omp simd" in (tmp_path / "out" / "program.f90").read_text()
    program = gfortran([tmp_path / "out" / "program.f90"], "-fopenmp")
    wanted = subprocess.run([gfortran([tmp_path / "twice.f90"])], capture_output=True, text=True, check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == wanted.stdout


def test_cuda_kernels_are_written_and_run_on_the_cpu(tmp_path: Path, polystencil: Run) -> None:
    if shutil.which("g++") is None:
        pytest.skip("the host has no C++ compiler")
    (tmp_path / "heat.f90").write_text(PROGRAM)
    done = polystencil("compile", "heat.f90", "-o", "out", "--target", "cuda", "--procedure", "smooth")
    assert done.returncode == 0, done.stderr
    assert all("__global__" in k.read_text() for k in (tmp_path / "out").glob("*.cu"))
    code = (
        "import numpy as np; sys.path.insert(0, 'out'); import smooth; exe = smooth.load(target='cuda_cpu'); "
        "u = np.ones(8, np.float32); v = np.zeros_like(u); print(exe['smooth'](u, v, 8))\n"
    )
    assert alone(tmp_path, code, "x").stdout == "6.0\n"
