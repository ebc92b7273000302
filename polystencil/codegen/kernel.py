"""What a kernel is once generated: source text, what each parameter is, and how it is launched. Plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from polystencil.errors import NOWHERE, Span

INDEX_32, INDEX_64 = "typedef int index_t;", "typedef long index_t;"
ParameterKind = Literal["pointer", "offset", "stride", "lower", "extent", "range", "scalar", "math"]


@dataclass(frozen=True)
class Parameter:
    """One parameter in order. `index` counts arrays, launch dimensions or scalars; `dimension` is of the array."""

    kind: ParameterKind
    name: str
    dtype: str
    index: int = 0
    dimension: int = 0


@dataclass(frozen=True)
class ArraySpec:
    """An array that a kernel reads or writes; `unit` says that its first stride is 1 for certain.

    `whole`: the launch assigns every element before anything reads one.
    """

    name: str
    dtype: str
    rank: int
    read: bool
    written: bool
    unit: bool
    whole: bool = False


@dataclass(frozen=True)
class Kernel:
    """A kernel. `head` ends with the opening brace of the function: definitions of constants go between the two.

    `ranges` is the number of launch extents, which come first in a call; a serial kernel has none.
    """

    name: str
    head: str
    body: str
    parameters: tuple[Parameter, ...]
    arrays: tuple[ArraySpec, ...]
    scalars: tuple[str, ...]
    ranges: int
    local_size: tuple[int, ...]
    serial: bool
    target: str = "opencl"
    span: Span = field(default=NOWHERE, compare=False)
    procedure: str = ""

    @property
    def source(self) -> str:
        """The text that the device's compiler sees when nothing is specialised."""
        return self.head + self.body

    def text(self, constants: tuple[tuple[str, int], ...] = (), long: bool = False) -> str:
        """The text with some parameters fixed, and with 64-bit indices where `long`."""
        head = self.head.replace(INDEX_32, INDEX_64) if long else self.head
        return head + "".join(f"#define {name} ({value})\n" for name, value in constants) + self.body
