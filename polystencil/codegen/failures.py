"""Failures inside of kernels: a kernel notes the place in a flag, and the runtime raises the error at its next wait.

The flag is one integer of the host program (`FAILED`), passed like an array to kernels that can fail.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from polystencil.codegen.arguments import Arguments, ArrayArgument
from polystencil.errors import Span
from polystencil.ir import expressions as x
from polystencil.ir.types import INTEGER

FLAG = x.Ref("kernels.failed", INTEGER)  # stands for the flag among the arguments of a launch
FLAG_NAME = "FAILED"
MESSAGE = "integer division by zero"


@dataclass
class Failures:
    """The places of a program where kernels can fail; a kernel writes the number of the place, from 1."""

    places: list[Span] = field(default_factory=list)

    def number(self, span: Span) -> int:
        """The number of a place."""
        if span not in self.places:
            self.places.append(span)
        return self.places.index(span) + 1


def flag_argument(arguments: Arguments) -> str:
    """The name of the kernel's parameter that points to the flag."""
    if FLAG not in arguments.arrays:
        name = arguments.names.fresh("failed")
        arguments.arrays[FLAG] = ArrayArgument(name, FLAG, INTEGER, 0, True, None, True, True, True, True)
    return arguments.arrays[FLAG].name
