"""Loops of host programs: trip counts fixed at the start, values of the right kind, jumps out of nested loops."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from polystencil.errors import FortranRuntimeError


class do:  # it stands where Fortran says do
    """The values of a do variable; `after` is its value when the loop has run to its end."""

    __slots__ = ("_first", "_kind", "_step", "_trips")

    def __init__(self, kind: Any, first: Any, last: Any, step: Any = 1) -> None:
        self._kind, self._first, self._step = kind, int(first), int(step)
        if self._step == 0:
            raise FortranRuntimeError("the step of a do loop is zero")
        self._trips = max(0, (int(last) - self._first + self._step) // self._step)

    def __iter__(self) -> Iterator[Any]:
        kind = self._kind
        for value in range(self._first, self._first + self._trips * self._step, self._step):
            yield kind(value)

    def __len__(self) -> int:
        return self._trips

    @property
    def after(self) -> Any:
        return self._kind(self._first + self._trips * self._step)


def nest(*loops: do) -> Iterator[tuple[Any, ...]]:
    """All combinations, the first loop outermost."""
    return itertools.product(*loops)


def extent(first: Any, last: Any, step: Any = 1) -> int:
    """The number of iterations from `first` to `last`."""
    by = int(step)
    if by == 0:
        raise FortranRuntimeError("the step of a loop is zero")
    return max(0, (int(last) - int(first) + by) // by)


def after(first: Any, last: Any, step: Any) -> Any:
    """The value of a do variable after its loop."""
    return do(np.int32 if isinstance(first, int) else type(first), first, last, step).after


def nothing(_: Any) -> tuple[()]:
    """No items: what is done on the way stands in a list."""
    return ()


def set_to(storage: Any, value: Any) -> tuple[()]:
    """Assign on the way through a list; gives no items."""
    storage[()] = value
    return ()


class Jump(Exception):
    """A jump to a construct by its name."""

    def must_be(self, name: str) -> None:
        """Go on outwards unless the jump is meant for `name`."""
        if self.args[0] != name:
            raise self


class Exit(Jump):
    """Leaves a construct from inside of inner loops."""


class Cycle(Jump):
    """Starts the next iteration of a loop from inside of inner loops."""


def no_kernel(*_: Any) -> None:
    """Stands in for a kernel until a device is bound."""
    raise FortranRuntimeError("the host program has no device: call bind() first")
