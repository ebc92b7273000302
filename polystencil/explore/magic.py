"""`%%polystencil`: Fortran in a cell becomes callables in the notebook.

    %load_ext polystencil.explore
    %%polystencil --transforms all --fp strict
    subroutine step(u, n) ...

Every procedure of the cell is then a Python function of its name; `program` and `exe` hold the last cell's program and
executable.
"""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from polystencil import door
from polystencil.errors import PolystencilError
from polystencil.explore.reprs import register


def load_ipython_extension(shell: Any) -> None:
    """Register the magic; called by `%load_ext polystencil.explore`."""
    register(shell)
    shell.register_magic_function(cell_magic_of(shell), magic_kind="cell", magic_name="polystencil")


def cell_magic_of(shell: Any) -> Any:
    """The magic for one IPython shell."""

    def polystencil(line: str, cell: str) -> None:
        """Compile the Fortran of a cell."""
        parser = argparse.ArgumentParser(prog="%%polystencil", add_help=False)
        parser.add_argument("--transforms", default="all")
        parser.add_argument("--fp", default="contract", choices=("strict", "contract", "fast"))
        parser.add_argument("--target", default="opencl")
        parser.add_argument("--name", default="cell.f90")
        try:
            given = parser.parse_args(shlex.split(line))
        except SystemExit:
            return
        try:
            program = door.parse(cell + "\n", name=given.name)
            executable = door.compile(program, transforms=given.transforms, fp=given.fp, target=given.target)
        except PolystencilError as error:
            print(error)
            return
        names = {"program": program, "exe": executable}
        for procedure in executable.procedures:
            names[procedure] = executable[procedure]
        shell.push(names)
        if program.main is not None:
            executable.run()

    return polystencil
