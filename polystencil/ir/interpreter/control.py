"""Signals: what a statement gives when execution does not simply go on with the next one (None)."""

from __future__ import annotations

from dataclasses import dataclass


class Signal:
    """One way of leaving; compared by identity."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


RETURN = Signal("return")


@dataclass(frozen=True, eq=False)
class Jumps:
    """The signals that end a construct and that go on with its next iteration."""

    exit: Signal
    cycle: Signal


def jumps_for(name: str) -> Jumps:
    return Jumps(Signal(f"exit {name}"), Signal(f"cycle {name}"))
