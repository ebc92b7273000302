"""What the tests of the passes share: transform a program and compare what it prints with the source's output."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polystencil import pipeline
from polystencil.errors import SourceText
from polystencil.frontend import read_program
from polystencil.ir.interpreter import run_program
from polystencil.ir.printer import print_program
from polystencil.ir.program import Program
from polystencil.options import Options
from polystencil.remarks import Remark


def parsed(text: str) -> Program:
    """The program of a text."""
    return read_program([SourceText("test.f90", text)])


def output_of(program: Program, order: str = "forward", seed: int = 5) -> str:
    """What the interpreter prints, and the exit status."""
    out, err = io.BytesIO(), io.StringIO()
    status = run_program(program, stdout=out, stderr=err, stdin=io.BytesIO(), parallel_order=order, seed=seed)  # type: ignore[arg-type]  # an order
    return f"{out.getvalue().decode()}[{status}]"


def gfortran_output(text: str, folder: Path, name: str = "p") -> str:
    """What gfortran's program prints, without optimisation."""
    source = folder / f"{name}.f90"
    source.write_text(text)
    flags = ["-O0", "-ffp-contract=off", "-fcheck=all"]
    done = subprocess.run(
        ["gfortran", *flags, source.name, "-o", name], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr + text
    ran = subprocess.run([str(folder / name)], capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    return f"{ran.stdout.decode()}[{ran.returncode}]"


def options(transforms: str | tuple[str, ...] = "all", **choices: Any) -> Options:
    """Options under which everything that can be transformed is."""
    return Options(transforms=transforms, **{"split_min_iterations": 0, **choices})  # type: ignore[arg-type]  # names of passes


@pytest.fixture
def same(tmp_path: Path) -> Callable[..., tuple[Remark, ...]]:
    """`same(text)`: the remarks, after a check that the transformed program prints what the source does."""

    def check(text: str, transforms: str | tuple[str, ...] = "all", **choices: Any) -> tuple[Remark, ...]:
        program = parsed(text)
        want = output_of(program)
        result = pipeline.transform(program, options(transforms, **choices))
        for order in ("forward", "reverse", "random"):
            assert output_of(result.program, order) == want, print_program(result.program)
        if shutil.which("gfortran") and "local(" not in text:  # which gfortran 12 does not know
            assert gfortran_output(text, tmp_path, "source") == want, "the interpreter and gfortran differ on the source"
            assert gfortran_output(print_program(result.program), tmp_path) == want
        return result.remarks

    return check


@pytest.fixture
def status() -> Callable[..., list[str]]:
    """`status(remarks, transform)`: the statuses of one transform's remarks, in order of lines."""

    def find(remarks: tuple[Remark, ...], transform: str) -> list[str]:
        return [r.status for r in sorted(remarks, key=lambda r: r.span.line) if r.transform == transform]

    return find
