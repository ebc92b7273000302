"""What each command of the command line does."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from polystencil import pipeline
from polystencil.cli.check import check_targets
from polystencil.cli.compile import write_compiled
from polystencil.errors import SourceText, UsageError
from polystencil.ir.program import Program
from polystencil.options import Options
from polystencil.remarks import Remark, as_json


def _defines(arguments: argparse.Namespace) -> dict[str, str]:
    pairs = (d.partition("=") for d in arguments.defines)
    return {name: value if mark else "1" for name, mark, value in pairs}


def sources_of(arguments: argparse.Namespace) -> list[SourceText]:
    """The texts of the files on the command line."""
    out = []
    for name in arguments.files:
        try:
            out.append(SourceText(name, Path(name).read_text(encoding="utf-8", errors="surrogateescape")))
        except OSError as error:
            raise UsageError(f"cannot read {name}: {error.strerror}") from None
    return out


def _parse(arguments: argparse.Namespace) -> Program:
    return pipeline.parse(sources_of(arguments), _defines(arguments), arguments.include_dirs)


def run(arguments: argparse.Namespace, options: Options) -> int:
    """`polystencil run`."""
    if options.target == "interpreter":
        return _interpret(arguments)
    times: dict[str, float] = {}
    executable = pipeline.executable_of(
        sources_of(arguments), _defines(arguments), arguments.include_dirs, options, times
    )
    for remark in executable.remarks:
        if remark.status == "refused" and remark.transform in ("race", "bounds"):
            print(f"{remark.span.file}:{remark.span.line}: warning: {remark.reason}", file=sys.stderr)
    code = executable.run(arguments.program_arguments)
    times |= executable.times()
    _say(arguments, times, {**executable.report(), "seconds": times})
    return code


def _interpret(arguments: argparse.Namespace) -> int:
    began = time.perf_counter()
    program = _parse(arguments)
    parsed = time.perf_counter()
    code = pipeline.interpret(program, arguments.program_arguments)
    times = {"parse": parsed - began, "run": time.perf_counter() - parsed}
    _say(arguments, times, {"version": 1, "remarks": [], "device": "interpreter", "seconds": times})
    return code


def _say(arguments: argparse.Namespace, times: dict[str, float], report: dict[str, Any]) -> None:
    """What `--time` and `--report` ask for."""
    if arguments.time:
        sys.stdout.flush()
        for name, seconds in times.items():
            print(f"{name:>10}: {seconds * 1e3:10.2f} ms", file=sys.stderr)
    if arguments.report:
        try:
            Path(arguments.report).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write {arguments.report}: {error.strerror}") from None


def compile_(arguments: argparse.Namespace, options: Options) -> int:
    """`polystencil compile`."""
    written = write_compiled(
        _parse(arguments), options, Path(arguments.output), arguments.target, arguments.procedure, arguments.openmp
    )
    for path in written:
        print(path)
    return 0


def explain(arguments: argparse.Namespace, options: Options) -> int:
    """`polystencil explain`."""
    program = _parse(arguments)
    remarks = pipeline.transform(program, options).remarks
    if arguments.json:
        print(json.dumps({"version": 1, "remarks": [as_json(r) for r in remarks]}, indent=1))
        return 0
    texts = {t.name: t for t in program.sources}
    for remark in remarks:
        print(remark_text(remark, texts))
    return 0


def remark_text(remark: Remark, texts: dict[str, SourceText]) -> str:
    """A remark with its source line, for people."""
    span = remark.span
    line = texts[span.file].line(span.line) if span.file in texts else ""
    out = [f"{span.file}:{span.line}: {remark.transform}: {remark.status}: {remark.reason}"]
    if line:
        out.append(f"{span.line:>5} | {line}")
    if remark.claim:
        out.append(f"      claim: {remark.claim}")
    if remark.witness:
        parts = [f"{k} {v}" for k, v in remark.witness.items() if v not in ("", [], {}, None)]
        out.append(f"      witness: {', '.join(parts)}")
    for key, value in remark.details.items():
        if value not in ("", [], {}, None):
            out.append(f"      {key}: {value}")
    return "\n".join(out)


def show(arguments: argparse.Namespace, options: Options) -> int:
    """`polystencil show`."""
    program = _parse(arguments)
    sys.stdout.write(pipeline.show(program, options, arguments.after))
    return 0


def check(arguments: argparse.Namespace, options: Options) -> int:
    """`polystencil check`."""
    program = _parse(arguments)
    failures = 0
    for line, good in check_targets(program, options, arguments.program_arguments):
        failures += not good
        print(line)
    return 1 if failures else 0


def devices(_: argparse.Namespace, __: Options) -> int:
    """`polystencil devices`."""
    from polystencil.runtime import devices_text

    print(devices_text())
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace, Options], int]] = {
    "run": run, "compile": compile_, "explain": explain, "show": show, "check": check, "devices": devices,
}  # fmt: skip
