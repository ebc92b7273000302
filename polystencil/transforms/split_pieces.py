"""From a loop that runs in order inside of a tile to its pieces, each without the tests that have one value there.

    do concurrent (i = 1:n)             do concurrent (i = 1:1) ...      ! b(i) = a(i)
      if (i == 1) then                  do concurrent (i = 2:n) ...      ! b(i) = a(i) - a(i - 1)
        b(i) = a(i)              -->
      else
        b(i) = a(i) - a(i - 1)          a loop over a window of its rows takes the rows of each piece in the window
      end if
    end do

Inside of a tile there is no launch to save, so that the frame is no loop of its own that numbers its iterations. The
pieces are products of ranges, one a dimension: the interior; the margin of one dimension, index by index, by the interior
of the others, without the tests; corners, the margins of several dimensions at once, as the loop was. Asks
`proofs.partition` for every dimension.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from dataclasses import dataclass

import islpy as isl

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import as_kind, integer, minus, plus
from polystencil.ir.directives import GENERAL
from polystencil.ir.program import Symbol
from polystencil.ir.types import INTEGER, Intrinsic
from polystencil.polyhedral.parameters import constant, index
from polystencil.proofs.partition import is_partition
from polystencil.proofs.verdicts import Proven
from polystencil.transforms.margins import Bounds, Margins
from polystencil.transforms.splittable import NotSplit
from polystencil.transforms.windows import whole_domain

MOST_APART = 8  # indices of the margins of a dimension that get a loop each
MOST_NODES = 30_000  # of expressions in all these loops: what a compiler takes a few seconds for


@dataclass(frozen=True, eq=False)
class Range:
    """Indices of one dimension from `low` to `high`, as expressions and as functions of the parameters."""

    low: x.Expression
    high: x.Expression
    low_at: isl.PwAff
    high_at: isl.PwAff
    interior: bool


@dataclass(frozen=True, eq=False)
class Piece:
    """A product of ranges: its iterations, the loop over those in the window, and in how many margins it lies."""

    points: isl.Set
    loop: s.ParallelLoop
    margins: int


def pieces_of(
    st: s.ParallelLoop, domain: Bounds, window: Bounds, margins: Margins, nodes: int
) -> tuple[tuple[Piece, ...], Proven]:
    """The pieces, the interior first, and the claim that they are all iterations, each once.

    `nodes` tells how long the body is: of a long one the indices of a margin share a loop.
    """
    depth = len(st.indices)
    widths = [margins.low[d] + margins.high[d] for d in range(depth)]
    short = nodes * sum(widths) <= MOST_NODES
    apart = [_ranges(st, d, domain, margins, short and widths[d] <= MOST_APART) for d in range(depth)]
    at_once = [_ranges(st, d, domain, margins, False) for d in range(depth)]
    verdict = _partition([*zip(apart, at_once, strict=True)], domain, window, margins)
    one = [c for c in itertools.product(*apart) if sum(not r.interior for r in c) <= 1]
    more = [c for c in itertools.product(*at_once) if sum(not r.interior for r in c) > 1]
    return tuple(_piece(st, chosen, depth) for chosen in (*one, *more)), verdict


def _ranges(st: s.ParallelLoop, d: int, domain: Bounds, margins: Margins, apart: bool) -> list[Range]:
    whole = whole_domain(st).indices[d]
    low, high = margins.low[d], margins.high[d]
    depth = len(st.indices)
    kind = whole.ref.type.kind if isinstance(whole.ref.type, Intrinsic) else 4
    first, last = as_kind(whole.lower, kind), as_kind(whole.upper, kind)

    def place(up: int | None, down: int | None) -> tuple[x.Expression, isl.PwAff]:
        """`up` from the first index, or `down` from the last."""
        if up is not None:
            return plus(first, integer(up, whole.ref.type)), domain.lower[d].add(constant(up, depth))
        return minus(last, integer(down or 0, whole.ref.type)), domain.upper[d].sub(constant(down or 0, depth))

    def between(a: tuple[x.Expression, isl.PwAff], b: tuple[x.Expression, isl.PwAff], interior: bool = False) -> Range:
        return Range(a[0], b[0], a[1], b[1], interior)

    out = [between(place(low, None), place(None, high), interior=True)]
    if apart:
        out += [between(place(k, None), place(k, None)) for k in range(low)]
        out += [between(place(None, k), place(None, k)) for k in range(high)]
        return out
    if low:
        out.append(between(place(0, None), place(low - 1, None)))
    if high:
        out.append(between(place(None, high - 1), place(None, 0)))
    return out


def _piece(st: s.ParallelLoop, chosen: tuple[Range, ...], depth: int) -> Piece:
    points = isl.Set.universe(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, depth))
    indices = []
    for d, (i, r) in enumerate(zip(st.indices, chosen, strict=True)):
        at = index(d, depth)
        points = points.intersect(at.ge_set(r.low_at)).intersect(at.le_set(r.high_at))
        low, high = r.low, r.high
        if d == 0 and st.domain is not None:
            low = x.IntrinsicCall("max", (i.lower, low), i.ref.type)
            high = x.IntrinsicCall("min", (i.upper, high), i.ref.type)
        indices.append(dataclasses.replace(i, lower=low, upper=high))
    loop = dataclasses.replace(st, indices=tuple(indices), domain=None)
    return Piece(points, loop, sum(not r.interior for r in chosen))


def _partition(
    ranges: list[tuple[list[Range], list[Range]]], domain: Bounds, window: Bounds, margins: Margins
) -> Proven:  # fmt: skip
    """Per dimension the ranges of either form are the domain, each index once, with the same interior; products of
    such ranges, one form for every choice of dimensions in a margin, then are all of the nest."""
    depth = len(ranges)
    context = isl.Set.universe(isl.Space.params_alloc(isl.DEFAULT_CONTEXT, 0))
    for d in range(depth):
        least = constant(margins.low[d] + margins.high[d], depth)
        enough = domain.upper[d].sub(domain.lower[d]).add(constant(1, depth)).ge_set(least)
        context = context.intersect(enough.params())
        if d == 0:  # the window is a part of the domain
            context = context.intersect(window.lower[0].ge_set(domain.lower[0]).params())
            context = context.intersect(window.upper[0].le_set(domain.upper[0]).params())
    verdicts = []
    for d in range(depth):
        at = index(d, depth)
        whole = at.ge_set(window.lower[d]).intersect(at.le_set(window.upper[d]))
        for form in ranges[d]:
            parts = [at.ge_set(r.low_at).intersect(at.le_set(r.high_at)).intersect(whole) for r in form]
            found = is_partition(whole, parts, context)
            if not isinstance(found, Proven):
                raise NotSplit("the partition of the iterations into pieces could not be proven")
            verdicts.append(found)
    return verdicts[0]


Simplify = Callable[[isl.Set], s.Body]


def margin_loops(pieces: tuple[Piece, ...], simplified: Simplify) -> s.Body:
    """The loops over the pieces in one margin, each with its own body."""
    return tuple(dataclasses.replace(p.loop, body=simplified(p.points)) for p in pieces if p.margins == 1)


def loop_over_corners(st: s.ParallelLoop, pieces: tuple[Piece, ...], enough: x.Expression, prefix: str) -> s.Block:
    """The loop as it was, over one corner after the other; over all iterations where there is not `enough` room.

    Its body is long and would be compiled for every corner apart.
    """
    corners = [p.loop for p in pieces if p.margins > 1]
    number = Symbol(f"{prefix}.corner", "corner", INTEGER)
    corner = x.Ref(number.id, INTEGER)
    symbols = [number]
    ends: list[tuple[x.Ref, x.Ref]] = []
    for i in st.indices:
        name = i.ref.id.rsplit(".", 1)[-1]
        first, last = (Symbol(f"{prefix}.{name}_{end}", f"{name}_{end}", i.ref.type) for end in ("first", "last"))
        symbols += [first, last]
        ends.append((x.Ref(first.id, first.type), x.Ref(last.id, last.type)))

    def bounds(loop: s.ParallelLoop) -> s.Body:
        return tuple(
            s.Assign(ref, e, span=st.span)
            for (low, high), i in zip(ends, loop.indices, strict=True)
            for ref, e in ((low, i.lower), (high, i.upper))
        )

    values = [integer(k) for k in range(1, len(corners) + 1)]
    cases = tuple(
        s.Case((s.CaseRange(k, k),), bounds(loop), st.span) for k, loop in zip(values, corners, strict=True)
    )
    choose: s.Body = (s.SelectCase(corner, cases, bounds(st), span=st.span),) if cases else bounds(st)
    indices = tuple(dataclasses.replace(i, lower=low, upper=high) for i, (low, high) in zip(st.indices, ends, strict=True))
    loop = dataclasses.replace(st, indices=indices, domain=None, directives=(*st.directives, GENERAL))
    start, stop = (x.IntrinsicCall("merge", (integer(k), integer(0), enough), INTEGER) for k in (1, len(corners)))
    rounds = s.Do(corner, start, stop, integer(1), (*choose, loop), f"{prefix}.corners", span=st.span)
    return s.Block(tuple(symbols), (rounds,), span=st.span)
