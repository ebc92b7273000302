"""Which storage a designator names: cells, and views that take subscripts to cells."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Place = tuple[str, tuple[int, ...]]


class NotEnumerable(Exception):
    """The nest does something that the oracle does not know, or that no valid program does."""


def checked(subscript: tuple[int, ...], bounds: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """A subscript that lies within bounds."""
    if any(not a <= i <= b for i, (a, b) in zip(subscript, bounds, strict=True)):
        raise NotEnumerable("an access outside of a dummy array or section")
    return subscript


@dataclass(frozen=True)
class Cell:
    """One scalar of storage: the path `variable%component%...` and all subscripts on the way."""

    path: str
    subscript: tuple[int, ...]


@dataclass(frozen=True)
class View:
    """An array: bounds per dimension, and from subscripts to the cell."""

    bounds: tuple[tuple[int, int], ...]
    at: Callable[[tuple[int, ...]], Place]

    def points(self) -> Iterator[tuple[int, ...]]:
        """All subscripts in array element order."""
        ranges = [range(a, b + 1) for a, b in reversed(self.bounds)]
        for point in itertools.product(*ranges):
            yield point[::-1]

    def section(self, chosen: Sequence[range | list[int] | int]) -> View:
        """The view of a section; each dimension is one subscript or several."""
        moving = [(k, list(c)) for k, c in enumerate(chosen) if not isinstance(c, int)]

        def at(subscript: tuple[int, ...]) -> Place:
            full = [c if isinstance(c, int) else 0 for c in chosen]
            checked(subscript, [(1, len(values)) for _, values in moving])
            for (k, values), i in zip(moving, subscript, strict=True):
                full[k] = values[i - 1]
            return self.at(tuple(full))

        return View(tuple((1, len(values)) for _, values in moving), at)

    def component(self, field: str) -> View:
        """The component of every element."""

        def at(subscript: tuple[int, ...]) -> Place:
            path, where = self.at(subscript)
            return f"{path}%{field}", where

        return View(self.bounds, at)


def whole(path: str, bounds: tuple[tuple[int, int], ...], before: tuple[int, ...] = ()) -> View:
    """A variable or component with its own bounds; `before` are subscripts of what it is a component of."""
    return View(bounds, lambda subscript: (path, (*before, *subscript)))


def sequence(base: View, start: tuple[int, ...]) -> View:
    """The elements from `start` on, in array element order, as one dimension."""
    first = _position(start, base.bounds)
    count = 1
    for a, b in base.bounds:
        count *= max(0, b - a + 1)
    return View(((1, count - first),), lambda subscript: base.at(_subscript(first + subscript[0] - 1, base.bounds)))


def bounds_given(view: View, declared: Sequence[tuple[int, int | None]]) -> View:
    """A view under a dummy's bounds: assumed ones (upper None) keep the extents, explicit ones take the elements in order."""
    if len(declared) == len(view.bounds) and all(upper is None for _, upper in declared):
        bounds = tuple((low, low + b - a) for (low, _), (a, b) in zip(declared, view.bounds, strict=True))
        shifts = [a - low for (low, _), (a, _) in zip(declared, view.bounds, strict=True)]
        return View(bounds, lambda s: view.at(tuple(i + d for i, d in zip(checked(s, bounds), shifts, strict=True))))
    total = 1
    for a, b in view.bounds:
        total *= max(0, b - a + 1)
    explicit = tuple((low, low + total if upper is None else upper) for low, upper in declared)
    return View(explicit, lambda s: view.at(_subscript(_position(checked(s, explicit), explicit), view.bounds)))


def _position(subscript: tuple[int, ...], bounds: tuple[tuple[int, int], ...]) -> int:
    position, stride = 0, 1
    for i, (a, b) in zip(subscript, bounds, strict=True):
        position += (i - a) * stride
        stride *= max(0, b - a + 1)
    return position


def _subscript(position: int, bounds: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    out = []
    for k, (a, b) in enumerate(bounds):
        extent = max(1, b - a + 1)
        last = k == len(bounds) - 1
        out.append(a + (position if last else position % extent))
        position //= extent
    return tuple(out)
