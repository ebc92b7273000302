"""From a section as actual argument to the caller's elements: how the subscripts of the dummy become the array's.

    inner(q(i - 1:i + 2, j)) with a dummy w(-1:)      w(k)  -->  q(i - 1 + (k + 1), j)
    wall(q(n:n - 3:-1, j)) with a dummy w(:)          w(2)  -->  q(n - 1, j)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from polystencil.ir import expressions as x
from polystencil.ir.building import add_constant, as_kind, compare, divided, integer, minus, plus, times, value_of
from polystencil.ir.program import Dimension
from polystencil.ir.sums import folded_sum, minus_cancelled
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.types import INTEGER, Intrinsic
from polystencil.ir.typing import rank_of, type_of
from polystencil.polyhedral.bounds import dimensions_of, lower_bound
from polystencil.transforms.inline_refusal import NotInlined


@dataclass(frozen=True)
class Along:
    """One dimension of a section: `start`, `start + stride`, ... up to `last` in the array's dimension `position`."""

    position: int
    start: x.Expression
    last: x.Expression
    stride: int

    def at(self, index: x.Expression, lower: x.Expression) -> x.Expression:
        """The array's subscript where the dummy, which begins at `lower`, has the subscript `index`."""
        start, position, lower = _of_one_kind(self.start, index, lower)
        distance = minus_cancelled(position, lower)
        step = times(integer(abs(self.stride), type_of(distance)), distance)
        return folded_sum(plus(start, step) if self.stride > 0 else minus(start, step))

    def extent(self) -> x.Expression:
        """How many elements there are, as a default integer."""
        first, last = (self.start, self.last) if self.stride > 0 else (self.last, self.start)
        last, first = _of_one_kind(last, first)
        distance = minus_cancelled(last, first)
        v = value_of(distance)
        if v is not None:
            return integer(max(0, v // abs(self.stride) + 1))
        kind = type_of(distance)
        count = divided(add_constant(distance, abs(self.stride)), integer(abs(self.stride), kind))
        return as_kind(x.IntrinsicCall("max", (count, integer(0, kind)), kind), 4)


@dataclass(frozen=True)
class SectionMapping:
    """An array dummy that stands for a section: `lower` are the dummy's lower bounds, one per moving dimension."""

    section: x.Section
    lower: tuple[x.Expression, ...]
    along: tuple[Along, ...]

    def element(self, indices: tuple[x.Expression, ...]) -> x.Element:
        """The caller's element of an element of the dummy."""
        subscripts = list(self.section.subscripts)
        for a, index, lower in zip(self.along, indices, self.lower, strict=True):
            subscripts[a.position] = a.at(index, lower)
        return x.Element(self.section.base, tuple(subscripts))

    def bound(self, name: str, dim: int) -> x.Expression:
        """lbound, ubound or size of the dummy's dimension `dim` (from 0)."""
        if name == "lbound":
            return self.lower[dim]
        extent = self.along[dim].extent()
        return extent if name == "size" else folded_sum(add_constant(plus(self.lower[dim], extent), -1))


def section_mapping(
    actual: x.Section, name: str, shape: tuple[Dimension, ...], lower: tuple[x.Expression, ...],
    uppers: tuple[x.Expression | None, ...], table: SymbolTable, assume: Callable[[x.Expression], bool],
) -> SectionMapping:  # fmt: skip
    """The mapping of a dummy `name`; NotInlined where its elements are not at a constant stride.

    `uppers` are the dummy's upper bounds in the caller's terms where its shape must be the section's; None elsewhere.
    """
    along: list[Along] = []
    for position, e in enumerate(actual.subscripts):
        if isinstance(e, x.Range):
            along.append(_along(actual, position, e, name, table))
        elif rank_of(e):
            raise NotInlined(f"the argument for {name} is a section by an index array")
    if rank_of(actual) != len(along) or len(along) != len(shape):
        raise NotInlined(f"the argument for {name} has another rank")
    for a, own, upper in zip(along, lower, uppers, strict=True):
        if upper is None:
            continue
        want, have = folded_sum(add_constant(minus_cancelled(upper, own), 1)), a.extent()
        if want != have and not assume(compare("==", have, want)):
            raise NotInlined(f"{name} may have another shape than its argument")
    return SectionMapping(actual, lower, tuple(along))


def _along(actual: x.Section, position: int, e: x.Range, name: str, table: SymbolTable) -> Along:
    stride = 1 if e.step is None else value_of(folded_sum(e.step))
    if not stride:
        raise NotInlined(f"the argument for {name} is a section with a stride that is no constant")
    dim = integer(position + 1)
    first = lower_bound(actual.base, position, table) or x.IntrinsicCall("lbound", (actual.base, dim), INTEGER)
    known = dimensions_of(actual.base, table)
    last = known[position][1] if known else x.IntrinsicCall("ubound", (actual.base, dim), INTEGER)
    start = first if e.lower is None else e.lower
    return Along(position, start, last if e.upper is None else e.upper, stride)


def _of_one_kind(*parts: x.Expression) -> tuple[x.Expression, ...]:
    """Integers of the widest kind among them."""
    widest = max((t.kind for p in parts if isinstance(t := type_of(p), Intrinsic)), default=4)
    return tuple(as_kind(p, widest) for p in parts)
