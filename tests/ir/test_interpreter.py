"""The reference interpreter on small whole programs; the expected text is what gfortran's programs print.

`parallel` has syntax that gfortran 12 does not know; its expected text was worked out by hand.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from polystencil.errors import UsageError
from polystencil.frontend import read_program
from polystencil.ir.interpreter import Interpreter, ParallelOrder, call_procedure, run_program

HERE = Path(__file__).parent / "programs"
PROGRAMS = sorted(p.stem for p in HERE.glob("*.f90"))


def run(path: Path, order: ParallelOrder = "forward", fuse: bool = True) -> tuple[int, str, str]:
    out, err = io.BytesIO(), io.StringIO()
    program = read_program([path])
    code = run_program(program, stdout=out, stderr=err, stdin=io.BytesIO(), parallel_order=order, fuse=fuse)
    return code, out.getvalue().decode(), err.getvalue()


def run_text(tmp_path: Path, text: str) -> tuple[int, str, str]:
    source = tmp_path / "program.f90"
    source.write_text(text)
    return run(source)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_print_what_gfortran_prints(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(HERE / f"{name}.f90")
    assert out == (HERE / f"{name}.expected").read_text()
    assert (code, err) == (0, "")


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in ("input_output", "internal_files")])
def test_fused_expressions_change_nothing(name: str) -> None:
    assert run(HERE / f"{name}.f90", fuse=False)[1] == (HERE / f"{name}.expected").read_text()


@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_parallel_loops_in_any_order(order: ParallelOrder) -> None:
    assert run(HERE / "parallel.f90", order)[1] == (HERE / "parallel.expected").read_text()


def test_the_order_of_iterations_shows_in_a_racing_loop(tmp_path: Path) -> None:
    source = tmp_path / "race.f90"
    source.write_text(
        "program race\n integer :: i, a(4)\n a = [1, 2, 3, 4]\n do concurrent (i = 2:4)\n  a(i) = a(i - 1)\n end do\n"
        " print '(4i2)', a\nend program\n"
    )
    assert run(source)[1] == " 1 1 1 1\n"
    assert run(source, "reverse")[1] == " 1 1 2 3\n"


@pytest.mark.parametrize(
    ("statement", "code", "text"),
    [
        ("stop", 0, ""), ("stop 3", 3, "STOP 3\n"), ("stop 'done'", 0, "STOP done\n"),
        ("error stop", 1, "ERROR STOP\n"), ("error stop 4", 4, "ERROR STOP 4\n"),
        ("error stop 'broken'", 1, "ERROR STOP broken\n"), ("stop 5, quiet=.true.", 5, ""),
    ],
)  # fmt: skip
def test_stop(tmp_path: Path, statement: str, code: int, text: str) -> None:
    got = run_text(tmp_path, f"program p\n print '(a)', 'before'\n {statement}\n print '(a)', 'after'\nend program\n")
    assert got == (code, "before\n", text)


@pytest.mark.parametrize(
    ("declarations", "statement", "message"),
    [
        ("integer :: a(3), i = 4", "a(i) = 1", "subscript 4 of dimension 1 of a is outside of its bounds 1:3"),
        ("integer :: a(0:2, 2), i = 3", "print *, a(1, i)",
         "subscript 3 of dimension 2 of a is outside of its bounds 1:2"),
        ("integer :: a(3), i = 5", "print *, a(2:i)", "subscript 5 of dimension 1"),
        ("integer, allocatable :: a(:)", "a(1) = 2", "a is used but not allocated"),
        ("integer, allocatable :: a(:)", "allocate (a(2)); allocate (a(3))",
         "Attempting to allocate already allocated variable 'a'"),
        ("integer, pointer :: p => null()", "p = 1", "p is used but not associated"),
        ("integer :: i = 0", "i = 1/i", "integer division by zero"),
        ("integer :: a(3), b(4) = 1, n = 4", "a = b(1:n)", "shape (4) assigned to one of shape (3)"),
        ("integer :: i = 0", "do i = 1, 3, i\n end do", "the step of a do loop is zero"),
        ("character(3) :: s = 'abc'; integer :: i = 4", "print *, s(2:i)", "substring (2:4) lies outside"),
        ("real :: x = 1", "print '(i3)', x", "Expected INTEGER for item 1 in formatted transfer, got REAL"),
    ],
)  # fmt: skip
def test_run_time_errors_are_located(tmp_path: Path, declarations: str, statement: str, message: str) -> None:
    code, _, err = run_text(tmp_path, f"program p\n {declarations}\n {statement}\nend program\n")
    assert code == 2
    assert message in err
    assert "program.f90:3:" in err
    assert err.splitlines()[1].startswith("    3 | ")


MODULE = """
module m
  implicit none
  real(8), parameter :: third = 1d0/3d0
contains
  subroutine step(u, unew, n, dt)
    integer, intent(in) :: n
    real(8), intent(in) :: u(0:n + 1), dt
    real(8), intent(out) :: unew(n)
    integer :: i
    do concurrent (i = 1:n)
      unew(i) = u(i) + dt*(u(i - 1) - 2*u(i) + u(i + 1))*third
    end do
  end subroutine
  function norm(a) result(r)
    real(8), intent(in) :: a(:, :)
    real(8) :: r(size(a, 2))
    r = sum(a*a, 1)
  end function
  subroutine count_up(k)
    integer, intent(inout) :: k
    integer, save :: total = 0
    total = total + k
    k = total
  end subroutine
end module
"""


@pytest.fixture
def module(tmp_path: Path) -> object:
    source = tmp_path / "m.f90"
    source.write_text(MODULE)
    return read_program([source])


def test_a_procedure_is_called_with_numpy_arrays(module: object) -> None:
    u, new = np.array([0.0, 1.0, 4.0, 9.0, 16.0]), np.zeros(3)
    assert call_procedure(module, "m.step", (u, new, 3, 0.5)) is None  # type: ignore[arg-type]  # a Program
    assert new.tolist() == [u[i] + 0.5 * (u[i - 1] - 2 * u[i] + u[i + 1]) * (1 / 3) for i in (1, 2, 3)]


def test_a_function_gives_its_value_and_strides_do_not_matter(module: object) -> None:
    a = np.arange(12.0).reshape(3, 4)[:, ::2]
    assert call_procedure(module, "m.norm", (a,)).tolist() == (a * a).sum(axis=0).tolist()  # type: ignore[arg-type]  # a Program


def test_scalars_come_back_in_zero_dimensional_arrays(module: object) -> None:
    k = np.array(5, np.int32)
    call_procedure(module, "m.count_up", (k,))  # type: ignore[arg-type]  # a Program
    assert k[()] == 5


def test_an_interpreter_keeps_saved_variables(module: object) -> None:
    interpreter, k = Interpreter(module), np.array(5, np.int32)  # type: ignore[arg-type]  # a Program
    interpreter.call("m.count_up", (k,))
    interpreter.call("m.count_up", (k,))
    assert k[()] == 10
    with pytest.raises(UsageError, match="takes 1 arguments, 2 are given"):
        interpreter.call("m.count_up", (k, k))


def test_deep_recursion_runs_and_endless_recursion_is_a_run_time_error(tmp_path: Path) -> None:
    text = """program deep
  print *, down({})
contains
  recursive integer function down(n) result(r)
    integer, intent(in) :: n
    r = 0
    if (n /= 0) r = 1 + down(n - 1)
  end function
end program
"""
    assert run_text(tmp_path, text.format("2000"))[:2] == (0, "        2000\n")
    code, _, err = run_text(tmp_path, text.format("-1"))
    assert code == 2
    assert "too deep" in err
