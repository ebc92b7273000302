"""Where a variable is inside of a kernel: private scalars and arrays, dummy arrays of functions, leaf arguments.

Each answers with C text; a leaf argument asks for the figures that are used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from polystencil.codegen.arguments import ArrayArgument
from polystencil.ir.types import Intrinsic


@dataclass(frozen=True)
class ScalarPlace:
    """A private scalar; `text` is an lvalue, `address` what points to it."""

    text: str
    type: Intrinsic
    address: str


class ArrayPlace(Protocol):
    """An array as the printer sees it."""

    @property
    def type(self) -> Intrinsic: ...
    @property
    def rank(self) -> int: ...
    @property
    def space(self) -> str: ...
    def pointer(self) -> str: ...
    def lower(self, d: int) -> str: ...
    def extent(self, d: int) -> str: ...
    def stride(self, d: int) -> str: ...
    def offset(self) -> str:
        """What is added to the sum of subscript * stride."""
        ...


@dataclass(frozen=True)
class TextArray:
    """An array whose pointer, bounds and strides are given as text: private arrays and dummies of functions.

    `contiguous`: its elements surely lie one after the other.
    """

    name: str
    type: Intrinsic
    rank: int
    space: str
    lowers: tuple[str, ...]
    extents: tuple[str, ...]
    strides: tuple[str, ...]
    start: str
    contiguous: bool = True

    def pointer(self) -> str:
        return self.name

    def lower(self, d: int) -> str:
        return self.lowers[d]

    def extent(self, d: int) -> str:
        return self.extents[d]

    def stride(self, d: int) -> str:
        return self.strides[d]

    def offset(self) -> str:
        return self.start


@dataclass(frozen=True)
class ArgumentArray:
    """A leaf argument of the kernel; `use` notes a parameter that the text names (functions pass it on)."""

    argument: ArrayArgument
    space: str
    use: Callable[[str, str], str]
    figure: Callable[[ArrayArgument, str, int], str]

    @property
    def type(self) -> Intrinsic:
        return self.argument.type

    @property
    def rank(self) -> int:
        return self.argument.rank

    def pointer(self) -> str:
        return self.use(self.argument.name, "pointer")

    def lower(self, d: int) -> str:
        if self.argument.shape is not None:
            return str(self.argument.shape[d][0])
        return self.use(self.figure(self.argument, "lower", d), "index")

    def extent(self, d: int) -> str:
        if self.argument.shape is not None:
            return str(self.argument.shape[d][1])
        return self.use(self.figure(self.argument, "extent", d), "index")

    def stride(self, d: int) -> str:
        constant = self.argument.constant_strides()
        if constant is not None:
            return str(constant[d])
        if d == 0 and self.argument.unit:
            return "1"
        return self.use(self.figure(self.argument, "stride", d), "index")

    def offset(self) -> str:
        if self.argument.rank == 0 and self.argument.owned:
            return "0"
        constant = self.argument.constant_strides()
        if constant is not None:
            assert self.argument.shape is not None
            total = -sum(low * step for (low, _), step in zip(self.argument.shape, constant, strict=True))
            return str(total)
        return self.use(self.figure(self.argument, "offset", 0), "index")
