"""The stages in order, from text to an executable. READ FIRST; there is no logic here.

    text -> frontend -> Program -> transforms (each asking proofs) -> Program -> codegen -> runtime -> Executable
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

from polystencil.errors import SourceText
from polystencil.ir.program import Program
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.transforms.results import PassResult

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
