"""Margins of a loop that runs over a window of its rows: how many rows of the window lie outside of the interior.

    rows lo:hi of 1:n, margins (2, 1)   -->   low_rows  = max(0, min(hi - lo + 1, 1 + 2 - lo))
                                              high_rows = max(0, min(hi - lo + 1 - low_rows, hi - (n - 1)))
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import islpy as isl

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import as_kind, integer, minus, plus
from polystencil.ir.program import Symbol
from polystencil.ir.types import INTEGER
from polystencil.polyhedral.parameters import constant
from polystencil.transforms.margins import Bounds, Margins


@dataclass(frozen=True)
class Window:
    """Variables for the rows outside of the interior at both ends of a window, and the statements that set them."""

    low: x.Ref
    high: x.Ref
    symbols: tuple[Symbol, Symbol]
    assignments: tuple[s.Statement, ...]


def whole_domain(loop: s.ParallelLoop) -> s.ParallelLoop:
    """The loop over all of its rows."""
    if loop.domain is None:
        return loop
    first = dataclasses.replace(loop.indices[0], lower=loop.domain.lower, upper=loop.domain.upper)
    return dataclasses.replace(loop, indices=(first, *loop.indices[1:]), domain=None)


def window_margins(loop: s.ParallelLoop, margins: Margins, prefix: str) -> Window:
    """The rows of a window that are outside of the interior of the domain."""
    if loop.domain is None:
        raise ValueError("the loop has no window")
    lo, hi = (as_kind(e, 4) for e in (loop.indices[0].lower, loop.indices[0].upper))
    first = plus(as_kind(loop.domain.lower, 4), integer(margins.low[0]))
    last = minus(as_kind(loop.domain.upper, 4), integer(margins.high[0]))
    symbols = (Symbol(f"{prefix}.low_rows", "low_rows", INTEGER), Symbol(f"{prefix}.high_rows", "high_rows", INTEGER))
    low, high = (x.Ref(v.id, INTEGER) for v in symbols)
    rows = plus(minus(hi, lo), integer(1))
    set_low = s.Assign(low, _clipped(minus(first, lo), rows), span=loop.span)
    set_high = s.Assign(high, _clipped(minus(hi, last), minus(rows, low)), span=loop.span)
    return Window(low, high, symbols, (set_low, set_high))


def _clipped(e: x.Expression, most: x.Expression) -> x.Expression:
    smaller = x.IntrinsicCall("min", (most, e), INTEGER)
    return x.IntrinsicCall("max", (integer(0), smaller), INTEGER)


def window_functions(window: Bounds, domain: Bounds, margins: Margins) -> tuple[isl.PwAff, isl.PwAff]:
    """The same two numbers as functions of the parameters, for the partition claim."""
    depth = len(window.lower)
    lo, hi = window.lower[0], window.upper[0]
    rows = hi.sub(lo).add(constant(1, depth))
    zero = constant(0, depth)
    first = domain.lower[0].add(constant(margins.low[0], depth))
    last = domain.upper[0].sub(constant(margins.high[0], depth))
    low = first.sub(lo).min(rows).max(zero)
    high = hi.sub(last).min(rows.sub(low)).max(zero)
    return low, high
