"""`polystencil compile`: kernels, a self-contained host module and a report; or the transformed Fortran source."""

from __future__ import annotations

import json
import re
from pathlib import Path

from polystencil import pipeline
from polystencil.errors import UsageError
from polystencil.ir.program import Program
from polystencil.options import Options
from polystencil.remarks import as_json


def write_compiled(
    program: Program, options: Options, folder: Path, target: str, procedure: str | None, openmp: bool
) -> list[Path]:
    """Write the files of one compilation to `folder`; their paths."""
    if openmp and target != "fortran":
        raise UsageError("--openmp goes with --target fortran")
    if target == "interpreter":
        raise UsageError("the interpreter compiles nothing", hint="use --target opencl, cuda or fortran")
    chosen = program if procedure is None else pipeline.only_procedure(program, procedure)
    folder.mkdir(parents=True, exist_ok=True)
    if target == "fortran":
        return _fortran(chosen, options, folder, openmp)
    from polystencil.runtime.standalone import standalone_files

    generated = pipeline.generate(chosen, options)
    files = standalone_files(generated, _module_name(program, procedure), options.target)
    files["report.json"] = json.dumps({"version": 1, "remarks": [as_json(r) for r in generated.remarks]}, indent=1) + "\n"
    return [_write(folder / name, text) for name, text in sorted(files.items())]


def _fortran(program: Program, options: Options, folder: Path, openmp: bool) -> list[Path]:
    from polystencil.ir.printer import print_program
    from polystencil.runtime import options_for_threads

    if openmp:
        options = options_for_threads(options)
    transformed = pipeline.transform(program, options)
    report = json.dumps({"version": 1, "remarks": [as_json(r) for r in transformed.remarks]}, indent=1) + "\n"
    text = print_program(transformed.program, openmp=openmp)
    return [_write(folder / "program.f90", text), _write(folder / "report.json", report)]


def _module_name(program: Program, procedure: str | None) -> str:
    """What the host module is called: as the procedure, else as the first file."""
    stem = procedure or Path(program.sources[0].name if program.sources else "program").stem
    name = re.sub(r"\W", "_", stem)
    return name if name.isidentifier() else f"p_{name}"


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    return path
