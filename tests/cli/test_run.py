"""`polystencil run` and the other commands: output, exit status, messages, reports, the cache."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run

PROGRAM = """\
program p
  implicit none
  integer, parameter :: n = 32
  real :: u(n, n), v(n, n)
  integer :: i, j
  character(16) :: word
  do concurrent (j = 1:n, i = 1:n)
    u(i, j) = i + 10*j
  end do
  v = 0
  do concurrent (j = 2:n-1, i = 2:n-1)
    v(i, j) = u(i-1, j) + u(i+1, j) - 2*u(i, j)
  end do
  call get_command_argument(1, word)
  print '(a,f6.1)', trim(word), sum(v)
  if (word == 'stop') stop 5
  if (word == 'fail') error stop 'no good'
end program
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    (tmp_path / "p.f90").write_text(PROGRAM)
    return "p.f90"


def test_help_names_the_commands_and_their_options(polystencil: Run) -> None:
    done = polystencil("--help")
    assert done.returncode == 0
    for command in ("run", "compile", "explain", "show", "check", "devices"):
        assert re.search(rf"^ +{command} ", done.stdout, re.MULTILINE)
        assert polystencil(command, "--help").returncode == 0
    text = polystencil("run", "--help").stdout
    for option in ("--target", "--transforms", "--fp", "--cache-bytes", "--device", "--time", "--report", "-D", "-I"):
        assert option in text


@pytest.mark.parametrize("target", ["opencl", "interpreter"])
def test_output_and_exit_status_are_the_programs(polystencil: Run, program: str, target: str) -> None:
    done = polystencil("run", program, "--target", target, "--", "word")
    assert (done.returncode, done.stdout, done.stderr) == (0, "word   0.0\n", "")
    assert polystencil("run", program, "--target", target, "--", "stop").returncode == 5
    done = polystencil("run", program, "--target", target, "--", "fail")
    assert done.returncode == 1
    assert "ERROR STOP no good" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "none.f90"), "cannot read none.f90"),
        (("run", "p.f90", "--transforms", "fuse,merge"), "'merge'"),
        (("run", "p.f90", "--cache-bytes", "-1"), "--cache-bytes"),
        (("run", "p.f90", "--device", "no such device"), "no OpenCL device"),
        (("show", "p.f90", "--after", "nothing"), "nothing"),
        (("jump", "p.f90"), "jump"),
        (("run",), "FILE"),
        (("run", "p.f90", "--report", "no/such/folder.json"), "cannot write"),
        (("run", "p.f90", "--fp", "loose"), "loose"),
    ],
)
def test_wrong_usage_has_status_2_and_a_message(polystencil: Run, program: str, arguments: tuple[str, ...], words: str) -> None:
    assert program
    done = polystencil(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_invalid_source_is_shown_with_a_caret(polystencil: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.f90").write_text("program p\n  integer :: i\n  i = (1 + \nend program\n")
    for command in ("run", "check", "explain", "show"):
        done = polystencil(command, "bad.f90")
        assert done.returncode == 2
        assert re.match(r"bad\.f90:\d+:\d+: ", done.stderr)
        assert "^" in done.stderr
        assert "Traceback" not in done.stderr


def test_run_time_errors_are_located(polystencil: Run, tmp_path: Path) -> None:
    (tmp_path / "late.f90").write_text(
        "program p\n integer, allocatable :: a(:)\n print *, 'before'\n a(3) = 1\n print *, a(3)\nend program\n"
    )
    done = polystencil("run", "late.f90")
    assert done.returncode == 2
    assert done.stdout == " before\n"
    assert done.stderr.startswith("late.f90:4:")


def test_defines_and_includes(polystencil: Run, tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "size.h").write_text("#define EXTRA 40\n")
    (tmp_path / "m.F90").write_text("#include \"size.h\"\nprogram p\n print '(i0)', N + EXTRA\nend program\n")
    done = polystencil("run", "m.F90", "-D", "N=2", "-I", "inc")
    assert done.stdout == "42\n", done.stderr
    assert polystencil("run", "m.F90", "-D", "N=3", "-I", "inc").stdout == "43\n"  # not the cached one


def test_times_and_report(polystencil: Run, program: str, tmp_path: Path) -> None:
    done = polystencil("run", program, "--time", "--report", "r.json")
    assert done.returncode == 0, done.stderr
    for name in ("parse", "compile", "build", "run", "kernels", "copies"):
        assert re.search(rf"^ *{name}: +[0-9.]+ ms$", done.stderr, re.MULTILINE)
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["version"] == 1
    assert report["launches"] >= 3
    assert {"transform", "status", "file", "line", "reason", "claim", "witness"} <= set(report["remarks"][0])


def test_explain_and_show(polystencil: Run, program: str) -> None:
    remarks = json.loads(polystencil("explain", program, "--json").stdout)
    assert remarks["version"] == 1
    assert {r["transform"] for r in remarks["remarks"]} >= {"race", "bounds", "split"}
    assert "p.f90:11: " in polystencil("explain", program).stdout
    assert "do concurrent" in polystencil("show", program).stdout.lower()


def test_check_compares_all_targets_at_hand(polystencil: Run, program: str) -> None:
    done = polystencil("check", program, "--fp", "strict")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "opencl (strict): the same" in done.stdout


def test_devices(polystencil: Run) -> None:
    done = polystencil("devices")
    assert done.returncode == 0
    for target in ("opencl", "cuda", "cuda_cpu", "interpreter", "fortran"):
        assert re.search(rf"^{target} +(yes|no) ", done.stdout, re.MULTILINE)


def test_the_second_start_needs_no_compiler_and_is_quick(polystencil: Run, program: str, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    first = polystencil("run", program, "--time", POLYSTENCIL_CACHE=cache)
    second = polystencil("run", program, "--time", POLYSTENCIL_CACHE=cache)
    assert first.stdout == second.stdout
    assert re.search(r"parse: +0\.00 ms", second.stderr)
    seconds = float(re.search(r"compile: +([0-9.]+) ms", second.stderr).group(1)) / 1e3  # type: ignore[union-attr]  # it is there
    assert seconds < 2.5  # about 0.3 s on an idle machine
    third = polystencil("run", program, POLYSTENCIL_CACHE=cache, PYTHONPROFILEIMPORTTIME="1")
    for library in ("loopy", "islpy", "tree_sitter"):
        assert not re.search(rf"\| +{library}\b", third.stderr), library
