"""Whole programs print what they must: on OpenCL with and without transformations, in the interpreter, from gfortran.

Under --fp strict the output of the kernels and that of the interpreter are both compared with `.expected`, to the last
character, so they equal each other.
"""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from polystencil import pipeline
from polystencil.errors import SourceText
from polystencil.ir.printer import print_program
from polystencil.ir.program import Program
from polystencil.options import FloatingPoint, Options
from tests.conftest import Compile

HERE = Path(__file__).parent / "cases"
CASES: dict[str, dict[str, Any]] = {c["name"]: c for c in json.loads((HERE / "index.json").read_text())}
STAGES = ("source", "all")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that write files write them where nobody minds."""
    monkeypatch.chdir(tmp_path)


def files_of(case: dict[str, Any]) -> list[Path]:
    return [HERE / name for name in case["files"]]


def parsed(case: dict[str, Any]) -> Program:
    return pipeline.parse(files_of(case), {}, [])


def expected(case: dict[str, Any]) -> tuple[bytes, int]:
    return (HERE / case["expected"]).read_bytes(), case["exit"]


@pytest.mark.parametrize("fp", ["contract", "strict"])
@pytest.mark.parametrize("transforms", ["all", "none"])
@pytest.mark.parametrize("name", CASES)
def test_kernels_print_what_is_expected(name: str, transforms: Any, fp: FloatingPoint) -> None:
    case = CASES[name]
    sources = [SourceText(str(p), p.read_text()) for p in files_of(case)]
    exe = pipeline.executable_of(sources, {}, [], Options(transforms=transforms, fp=fp))
    stream = io.BytesIO()
    code = exe.run(stdout=stream)
    assert (stream.getvalue(), code) == expected(case)


@pytest.mark.parametrize("name", CASES)
def test_the_interpreter_prints_what_is_expected(name: str) -> None:
    case = CASES[name]
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="latin-1", newline="", write_through=True)
    code = pipeline.interpret(parsed(case), (), stream)
    stream.flush()
    assert (raw.getvalue(), code) == expected(case)
    stream.detach()


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", CASES)
def test_printed_fortran_prints_the_same(name: str, stage: str, tmp_path: Path, gfortran: Compile) -> None:
    case = CASES[name]
    program = parsed(case)
    if stage == "all":
        program = pipeline.transform(program, Options()).program
    source = tmp_path / "printed.f90"
    source.write_text(print_program(program), encoding="utf-8", errors="surrogateescape")
    compiled = gfortran([source])
    done = subprocess.run([compiled], capture_output=True, check=False, timeout=60, stdin=subprocess.DEVNULL)
    assert (done.stdout, done.returncode) == expected(case)
