"""Whether a transformed program prints what its source prints: in the reference interpreter, and compiled by gfortran."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polystencil import pipeline
from polystencil.errors import SourceText
from polystencil.frontend import read_program
from polystencil.ir.interpreter import run_program
from polystencil.ir.printer import print_program
from polystencil.ir.program import Program
from polystencil.options import Options
from polystencil.remarks import Remark

FLAGS = ("-O0", "-ffp-contract=off", "-fcheck=all", "-w")


@dataclass(frozen=True)
class Compared:
    """`difference` is empty where both print the same; `invalid` where the source stops with an error, or depends on the order
    of the iterations of its do concurrent loops."""

    difference: str
    remarks: tuple[Remark, ...]
    program: Program
    output: str
    invalid: bool = False


def parsed(text: str) -> Program:
    """The program of a text."""
    return read_program([SourceText("random.f90", text)])


def interpreted(program: Program, order: str = "forward", seed: int = 0) -> tuple[str, int]:
    """What the interpreter prints, with the exit status."""
    out, err = io.BytesIO(), io.StringIO()
    status = run_program(program, stdout=out, stderr=err, stdin=io.BytesIO(), parallel_order=order, seed=seed)  # type: ignore[arg-type]  # an order
    return out.getvalue().decode(), status


def compare_runs(text: str, options: Options, seeds: Sequence[int] = (1,), source_order: str = "forward") -> Compared:
    """Transform a program and run both in the interpreter, parallel loops of the new one in random and reverse order."""
    source = parsed(text)
    want, status = interpreted(source, source_order)
    result = pipeline.transform(source, options)
    if status:
        return Compared("", result.remarks, result.program, want, True)
    for order, seed in (("reverse", 0), *(("random", k) for k in seeds)):
        got, new_status = interpreted(result.program, order, seed)
        if (got, new_status) != (want, status):
            if any(interpreted(source, o, k) != (want, status) for o, k in (("reverse", 0), ("random", 1), ("random", 2))):
                return Compared("", result.remarks, result.program, want, True)  # iterations of the source conflict
            return Compared(f"{order} {seed}: status {new_status}\n{got}\ninstead of\n{want}", result.remarks, result.program, want)
    return Compared("", result.remarks, result.program, want)


def compiled_runs(programs: Sequence[Program], folder: Path) -> list[str]:
    """What gfortran's programs print, one after the other; the compiler's message where it refuses one."""
    outputs = []
    for k, program in enumerate(programs):
        outputs.append(compiled_run(print_program(program), folder, f"p{k}"))
    return outputs


def compiled_run(text: str, folder: Path, name: str = "p") -> str:
    """What gfortran's program of a text prints."""
    (folder / f"{name}.f90").write_text(text)
    command = ["gfortran", *FLAGS, f"{name}.f90", "-o", name]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        return done.stderr
    ran = subprocess.run([str(folder / name)], capture_output=True, check=False, timeout=120, stdin=subprocess.DEVNULL)
    return ran.stdout.decode() + ran.stderr.decode()
