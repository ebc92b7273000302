"""Programs that tests run on several targets: the cases and the legality suite, with what they must print.

POLYSTENCIL_FULL_SUITE=1 runs every program with and without transformations; else a part of them runs.
"""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polystencil import pipeline
from polystencil.errors import SourceText
from polystencil.options import Options, transforms_from_text

TESTS = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class ExpectedRun:
    """Sources, what the program prints, its exit status."""

    files: tuple[Path, ...]
    output: bytes
    code: int
    choices: tuple[tuple[str, Any], ...] = ()


def case_runs() -> dict[str, ExpectedRun]:
    """All programs of tests/cases."""
    root = TESTS / "cases"
    out = {}
    for entry in json.loads((root / "index.json").read_text()):
        files = tuple(root / name for name in entry["files"])
        out[entry["name"]] = ExpectedRun(files, (root / entry["expected"]).read_bytes(), entry["exit"])
    return out


def legality_runs() -> dict[str, ExpectedRun]:
    """All valid programs of tests/legality."""
    out = {}
    for path in sorted((TESTS / "legality").glob("*/*.json")):
        case = json.loads(path.read_text())
        if case.get("expect_error") or case.get("exit_code"):
            continue  # an option that is refused, or a program that is wrong
        given = case["options"]
        choices = (("cache_bytes", given["cache_bytes"]), ("split_min_iterations", given["split_min_iterations"]))
        expected = path.with_suffix(".expected").read_bytes()
        out[case["case"]] = ExpectedRun((path.with_suffix(".f90"),), expected, 0, choices)
    return out


def chosen_runs(legality_every: int) -> list[tuple[str, str]]:
    """(program, transformations): all cases, a part of the legality suite, and a part of both untransformed."""
    cases, legality = list(case_runs()), list(legality_runs())
    if os.environ.get("POLYSTENCIL_FULL_SUITE"):
        return [(name, t) for t in ("all", "none") for name in (*cases, *legality)]
    transformed = [(name, "all") for name in (*cases, *legality[::legality_every])]
    return [*transformed, *((name, "none") for name in (*cases, *legality)[::4])]


def run_on(target: str, transforms: str, run: ExpectedRun, device: Any = None) -> tuple[bytes, int]:
    """Output and exit status of a program under strict floating point."""
    options = Options(
        target=target,
        transforms=transforms_from_text(transforms),
        fp="strict",
        **dict(run.choices),  # type: ignore[arg-type]  # one of the targets
    )
    sources = [SourceText(str(f), f.read_text(encoding="utf-8", errors="surrogateescape")) for f in run.files]
    program = pipeline.parse(sources, {}, [str(run.files[0].parent)])
    if device is None:
        executable = pipeline.executable(program, options)
    else:
        from polystencil.runtime import load, options_for

        executable = load(pipeline.generate(program, options_for(options, device)), device, options)
    stream = io.BytesIO()
    code = executable.run((), stdout=stream, stdin=io.BytesIO())
    return stream.getvalue(), code
