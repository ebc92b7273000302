"""The stages in order, from text to an executable. READ FIRST; there is no logic here.

    text -> frontend -> Program -> transforms (each asking proofs) -> Program -> codegen -> runtime -> Executable
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from polystencil.errors import SourceText
from polystencil.ir.program import Program
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.transforms.results import PassResult

if TYPE_CHECKING:
    from polystencil.codegen import GeneratedProgram
    from polystencil.runtime import Executable

Source = SourceText | str | PathLike[str]


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
        Stage("split", passes.split),
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


def generate(program: Program, options: Options) -> tuple[GeneratedProgram, tuple[Remark, ...]]:
    """From a program to kernels and a host module, with all remarks."""
    from polystencil.codegen import generate as generate_code

    transformed = transform(program, options)
    generated = generate_code(transformed.program, options)
    return generated, (*transformed.remarks, *generated.remarks)


def executable_of(
    sources: Sequence[SourceText], defines: Mapping[str, str], include_dirs: Sequence[str], options: Options
) -> Executable:
    """From text to an executable; a program that was compiled before comes from the cache."""
    from polystencil.runtime import load_cached

    return load_cached(
        sources, defines, include_dirs, options, lambda: generate(parse(sources, defines, include_dirs), options)
    )
