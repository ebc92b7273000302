"""The functions of the Python door: parse, compile, explain, show."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from polystencil import pipeline
from polystencil.errors import SourceText, UsageError
from polystencil.ir.program import Program
from polystencil.options import FloatingPoint, Options, Target, options_from_environment, transforms_from_text
from polystencil.remarks import Remark

if TYPE_CHECKING:
    from polystencil.runtime import Executable

Given = str | os.PathLike[str] | SourceText
STAGES = ("source", "parallelize", "fuse", "skew", "split", "unroll")


def parse(
    source: Given | Sequence[Given],
    *,
    name: str = "<text>",
    defines: Mapping[str, str] | None = None,
    include_dirs: Sequence[str] = (),
) -> Program:
    """The program in a file, in several files (any order), or in a text (a string with a line end, called `name`).

    Raises SourceError for invalid Fortran and UnsupportedError for what is not held yet, both located.
    """
    given = [source] if isinstance(source, (str, os.PathLike, SourceText)) else list(source)
    return pipeline.parse([_text(g, name) for g in given], defines or {}, include_dirs)


def _text(given: Given, name: str) -> SourceText:
    if isinstance(given, SourceText):
        return given
    if isinstance(given, str) and "\n" in given:
        return SourceText(name, given)
    try:
        return SourceText(str(given), Path(given).read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError as error:
        raise UsageError(f"cannot read {given}: {error.strerror}") from None


def options_of(
    target: Target = "opencl",
    transforms: str | Sequence[str] = "all",
    fp: FloatingPoint = "contract",
    device: str | None = None,
    cache_bytes: int | None = None,
    split_min_iterations: int | None = None,
    parallelize: bool = True,
) -> Options:
    """Options from the keyword arguments of `compile`, with POLYSTENCIL_DISABLE taken into account."""
    names = transforms if isinstance(transforms, str) else ",".join(transforms) or "none"
    chosen: Literal["all", "none"] | tuple[str, ...] = transforms_from_text(names)
    return options_from_environment(
        Options(target, chosen, fp, device, cache_bytes, split_min_iterations, parallelize=parallelize)
    )


def compile(
    program: Program | Given,
    *,
    target: Target = "opencl",
    transforms: str | Sequence[str] = "all",
    fp: FloatingPoint = "contract",
    device: str | None = None,
    cache_bytes: int | None = None,
    split_min_iterations: int | None = None,
    parallelize: bool = True,
    tuned: str | os.PathLike[str] | None = None,
) -> Executable:
    """The executable of a program: `exe.run()` runs its main program, `exe["name"](...)` calls a procedure.

    `transforms` is "all", "none", or names of passes (fuse, swap, split, jam, skew, unroll). Arrays are NumPy arrays
    of the dummy's kind, rank and shape, updated in place; Fortran-ordered ones are not copied. `tuned` is a file that
    `polystencil.explore.tune(...).save` wrote for this source: its choices then stand.
    """
    options = options_of(target, transforms, fp, device, cache_bytes, split_min_iterations, parallelize)
    parsed = program if isinstance(program, Program) else parse(program)
    return pipeline.executable(parsed, options if tuned is None else _as_tuned(tuned, parsed, options))


def _as_tuned(path: str | os.PathLike[str], program: Program, options: Options) -> Options:
    """The options with the choices of a tuning run on the same source."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        transforms, cache_bytes, source = data["transforms"], data["cache_bytes"], data["source"]
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(f"cannot use the tuning file {path}: {error}") from None
    if source != program.source_hash:
        raise UsageError(f"{path} was tuned for another source", hint="tune again")
    chosen = transforms_from_text(transforms)
    return replace(options, transforms=chosen, cache_bytes=cache_bytes, split_min_iterations=0)


def explain(program: Program | Given, *, transforms: str | Sequence[str] = "all", **choices: int) -> tuple[Remark, ...]:
    """Every loop and every pass: what was done or not, and why, with witnesses."""
    parsed = program if isinstance(program, Program) else parse(program)
    return pipeline.transform(parsed, options_of(transforms=transforms, **choices)).remarks  # type: ignore[arg-type]  # choices are option values


def show(program: Program | Given, *, after: str = "source", transforms: str | Sequence[str] = "all") -> str:
    """The program as Fortran after a stage: source, parallelize, fuse, skew, split or unroll."""
    parsed = program if isinstance(program, Program) else parse(program)
    return pipeline.show(parsed, options_of(transforms=transforms), after)
