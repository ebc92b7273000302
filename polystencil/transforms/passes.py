"""The passes as the pipeline calls them: what the options choose, and what is said of a pass that is not chosen."""

from __future__ import annotations

from polystencil.ir.program import Program
from polystencil.ir.symbols import symbol_table
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.transforms import parallelize as parallelize_pass
from polystencil.transforms.promises import broken_promises
from polystencil.transforms.results import PassResult


def check(program: Program) -> tuple[Remark, ...]:
    """What the program promises and breaks: do concurrent loops that conflict, accesses outside of arrays."""
    return broken_promises(program, symbol_table(program))


def parallelize(program: Program, options: Options) -> PassResult:
    """Plain do nests become parallel loops, unless `--no-parallelize`."""
    if not options.parallelize:
        return PassResult(program, ())
    return parallelize_pass.parallelize(program)
