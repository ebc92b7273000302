"""The stages in order, from text to an executable. READ FIRST; there is no logic here.

    text -> frontend -> Program -> transforms (each asking proofs) -> Program -> codegen -> runtime -> Executable
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from polystencil.errors import SourceText
from polystencil.ir.program import Program
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.transforms.results import PassResult

if TYPE_CHECKING:
    from polystencil.codegen import GeneratedProgram
    from polystencil.runtime import Executable

Source = SourceText | str | Path


@dataclass(frozen=True)
class Stage:
    """One pass under the name that `show --after` and `--transforms` use."""

    name: str
    run: Callable[[Program, Options], PassResult]


@dataclass(frozen=True)
class Transformed:
    """The program after each stage, first `source`, and all remarks."""

    after: tuple[tuple[str, Program], ...]
    remarks: tuple[Remark, ...]

    @property
    def program(self) -> Program:
        """The program after the last stage."""
        return self.after[-1][1]


def parse(sources: Sequence[Source], defines: Mapping[str, str], include_dirs: Sequence[str]) -> Program:
    """From Fortran text to a program."""
    from polystencil.frontend import read_program

    return read_program(sources, defines=defines, include_dirs=include_dirs)


def stages() -> tuple[Stage, ...]:
    """The passes in the order in which they run."""
    from polystencil.transforms import passes

    return (
        Stage("parallelize", passes.parallelize),
        Stage("fuse", passes.fuse),
        Stage("skew", passes.skew),
        Stage("split", passes.split),
        Stage("unroll", passes.unroll),
    )


def transform(program: Program, options: Options) -> Transformed:
    """Check the program's own promises, then run every pass that the options choose."""
    from polystencil.transforms import passes

    remarks = list(passes.check(program))
    after = [("source", program), ("checked", passes.in_order(program, tuple(remarks)).program)]
    for stage in stages():
        result = stage.run(after[-1][1], options)
        after.append((stage.name, result.program))
        remarks += result.remarks
    return Transformed(tuple(after), tuple(remarks))


def show(program: Program, options: Options, stage: str) -> str:
    """The program as Fortran after a stage."""
    from polystencil.ir.printer import print_program

    name = {"inline": "checked"}.get(stage, stage)  # inlining is part of the passes that need it
    return print_program(dict(transform(program, options).after)[name])


def only_procedure(program: Program, name: str) -> Program:
    """One procedure and what it calls."""
    from polystencil.transforms.only_procedure import only_procedure as cut

    return cut(program, name)


def generate(program: Program, options: Options) -> GeneratedProgram:
    """From a program to kernels and a host module, with the remarks of all passes."""
    from polystencil.codegen import generate as generate_code

    transformed = transform(program, options)
    last = transformed.program
    if options.separate_memory or options.target == "cuda":
        from polystencil.transforms.write_discard import note_overwritten

        last = note_overwritten(last)
    generated = generate_code(last, options)
    return replace(generated, remarks=(*transformed.remarks, *generated.remarks))


def executable(program: Program, options: Options) -> Executable:
    """From a program to an executable."""
    from polystencil.runtime import load, open_device, options_for

    device = open_device(options)
    chosen = options_for(options, device)
    return load(generate(program, chosen), device, chosen)


def executable_of(
    sources: Sequence[SourceText], defines: Mapping[str, str], include_dirs: Sequence[str], options: Options,
    times: dict[str, float] | None = None,
) -> Executable:  # fmt: skip
    """From text to an executable; a program that was compiled before comes from the cache.

    `times` receives the seconds that parsing and compiling took.
    """
    began = time.perf_counter()
    times = {} if times is None else times
    from polystencil.frontend.inclusions import included_texts
    from polystencil.runtime import load, open_device, options_for
    from polystencil.runtime.cache import find, keep, program_key

    device = open_device(options)
    chosen = options_for(options, device)
    texts = [(s.name, s.text) for s in sources]
    key = program_key([*texts, *included_texts(sources, include_dirs)], chosen, map(str, sorted(defines.items())))
    generated = find(key)
    times["parse"] = 0.0
    if generated is None:
        from polystencil.transforms.only_procedure import only_reached

        starts = time.perf_counter()
        program = only_reached(parse(sources, defines, include_dirs))
        times["parse"] = time.perf_counter() - starts
        generated = generate(program, chosen)
        keep(key, generated)
    out = load(generated, device, chosen)
    times["compile"] = time.perf_counter() - began - times["parse"]
    return out


def interpret(program: Program, arguments: Sequence[str], stdout: object = None) -> int:
    """Run the main program in the reference interpreter; the exit status."""
    from polystencil.ir.interpreter import run_program

    return run_program(program, arguments=tuple(arguments), stdout=stdout)
