"""What an array dummy is in the caller: elements, sections, bounds and sizes of it as those of the actual argument.

    call s(a(3:9:2, k)); in s: real :: d(0:)       d(i)  -->  a(3 + (i - 0)*2, k)
                                                   ubound(d, 1)  -->  the dummy's, not that of a
"""

from __future__ import annotations

from dataclasses import dataclass

from polystencil.ir import expressions as x
from polystencil.ir.building import add_constant, as_kind, minus, plus, times, value_of
from polystencil.ir.types import INTEGER, Intrinsic
from polystencil.ir.typing import rank_of, type_of
from polystencil.transforms.inline_refusal import NotInlined


@dataclass(frozen=True)
class Along:
    """A dimension of the actual that one of the dummy runs along: its first element at `start`, `stride` apart.

    `lower` is the dummy's lower bound, `extent` its size; `whole` when it is the actual's whole dimension.
    """

    start: x.Expression
    stride: x.Expression
    lower: x.Expression
    extent: x.Expression
    whole: bool
    known_same: bool  # whether the lower bounds are known to be equal


@dataclass(frozen=True)
class ArrayArgument:
    """`base` is a whole array of the caller; per dimension of it an `Along` or a fixed subscript."""

    name: str
    base: x.Expression
    subscripts: tuple[Along | x.Expression, ...]

    @property
    def alongs(self) -> list[Along]:
        """The dummy's dimensions."""
        return [d for d in self.subscripts if isinstance(d, Along)]

    @property
    def covers(self) -> bool:
        """Whether the dummy is the whole actual array."""
        return all(isinstance(d, Along) and d.whole for d in self.subscripts)

    def element(self, indices: tuple[x.Expression, ...]) -> x.Element:
        """An element of the dummy."""
        left = iter(indices)
        return x.Element(self.base, tuple(_moved(next(left), d) if isinstance(d, Along) else d for d in self.subscripts))

    def section(self, subscripts: tuple[x.Expression, ...]) -> x.Section:
        """A section of the dummy."""
        left = iter(subscripts)
        out: list[x.Expression] = []
        for d in self.subscripts:
            if not isinstance(d, Along):
                out.append(d)
                continue
            given = next(left)
            out.append(_range(given, d) if isinstance(given, x.Range) else _moved(given, d))
        return x.Section(self.base, tuple(out))

    def whole(self) -> x.Expression:
        """The dummy as a whole, where only its elements count."""
        return self.base if self.covers else self.as_section()

    def as_section(self) -> x.Section:
        """The dummy as a section, which nothing can allocate anew."""
        return self.section(tuple(x.Range(None, None, None) for _ in self.alongs))

    def inquiry(self, e: x.IntrinsicCall) -> x.Expression:
        """size, lbound, ubound or shape of the dummy."""
        if len(e.arguments) > 2 and e.arguments[2] is not None:
            raise NotInlined(f"it asks for bounds of {self.name} in another kind")
        dim = e.arguments[1] if len(e.arguments) > 1 and e.name != "shape" else None
        if dim is not None:
            at = value_of(dim)
            if at is None or not 1 <= at <= len(self.alongs):
                raise NotInlined(f"it asks for bounds of {self.name} in a dimension that varies")
            return _of_kind(self._bound(e.name, at - 1), e)
        if e.name == "size":
            out: x.Expression = self.alongs[0].extent
            for d in self.alongs[1:]:
                out = times(out, d.extent)
            return _of_kind(out, e)
        name = "size" if e.name == "shape" else e.name
        items = tuple(as_kind(self._bound(name, k), _kind(e.type)) for k in range(len(self.alongs)))
        return x.ArrayConstructor(items, e.type)

    def _bound(self, name: str, k: int) -> x.Expression:
        d = self.alongs[k]
        if name == "size":
            return d.extent
        if d.whole and d.known_same:
            at = next(n for n, own in enumerate(self.subscripts) if own is d)
            return x.IntrinsicCall(name, (self.base, x.Literal(at + 1, INTEGER)), INTEGER)
        lower, extent = value_of(d.lower), value_of(d.extent)
        if lower is not None and extent is not None:  # an array without elements has 1 and 0 as its bounds
            low, high = (lower, lower + extent - 1) if extent > 0 else (1, 0)
            return x.Literal(low if name == "lbound" else high, type_of(d.lower))
        positive = x.Binary(">", d.extent, x.Literal(0, type_of(d.extent)))
        if name == "lbound":
            if lower == 1:
                return d.lower
            return x.IntrinsicCall("merge", (d.lower, x.Literal(1, type_of(d.lower)), positive), type_of(d.lower))
        if lower == 1:
            return d.extent
        upper = add_constant(plus(*same_kind(d.extent, d.lower)), -1)
        zero = x.Literal(0, type_of(upper))
        if lower == 0:
            return x.IntrinsicCall("max", (upper, zero), type_of(upper))
        return x.IntrinsicCall("merge", (upper, zero, positive), type_of(upper))


def _kind(t: object) -> int:
    return t.kind if isinstance(t, Intrinsic) else 4


def _of_kind(e: x.Expression, like: x.IntrinsicCall) -> x.Expression:
    return as_kind(e, _kind(like.type))


def same_kind(a: x.Expression, b: x.Expression) -> tuple[x.Expression, x.Expression]:
    """Both in the larger of their integer kinds."""
    kind = max(_kind(type_of(a)), _kind(type_of(b)))
    return as_kind(a, kind), as_kind(b, kind)


def _moved(i: x.Expression, d: Along) -> x.Expression:
    """The actual's subscript for a dummy's: start + (i - lower)*stride."""
    step, start, lower = value_of(d.stride), value_of(d.start), value_of(d.lower)
    if step == 1 and (d.known_same or d.start == d.lower):
        return i
    if step == -1 and start is not None and lower is not None and rank_of(i) == 0:
        return x.Binary("-", x.Literal(start + lower, type_of(i)), i)
    i, own = same_kind(i, d.lower)
    if step == 1 and start is not None and lower is not None and rank_of(i) == 0:
        return add_constant(i, start - lower)
    if rank_of(i):  # a vector subscript: element by element
        distance: x.Expression = x.Binary("-", i, own)
    else:
        distance = i if lower == 0 else minus(i, own)
    if step is not None and step < 0:
        first, distance = same_kind(d.start, distance)
        length = distance if step == -1 else times(x.Literal(-step, type_of(distance)), distance)
        return x.Binary("-", first, length)
    if step != 1:
        a, b = same_kind(distance, d.stride)
        distance = x.Binary("*", a, b) if rank_of(i) else times(a, b)
    distance, first = same_kind(distance, d.start)
    return x.Binary("+", distance, first) if rank_of(i) else plus(distance, first)


def _range(r: x.Range, d: Along) -> x.Range:
    """The actual's range for a dummy's."""
    if r.lower is None and r.upper is None and r.step is None and d.whole:
        return r
    step = x.Literal(1, INTEGER) if r.step is None else r.step
    forward = value_of(step)
    if forward is None and (r.lower is None or r.upper is None):
        raise NotInlined("a section's direction varies")
    first, last = d.lower, add_constant(plus(*same_kind(d.extent, d.lower)), -1)
    if forward is not None and forward < 0:
        first, last = last, first
    lower = _moved(first if r.lower is None else r.lower, d)
    upper = _moved(last if r.upper is None else r.upper, d)
    both = times(*same_kind(step, d.stride))
    return x.Range(lower, upper, None if value_of(both) == 1 else both)
