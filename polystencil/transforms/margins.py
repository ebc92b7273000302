"""From the tests of a loop body to the margins of its iteration space outside of which each has one value."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polystencil.ir import statements as s
from polystencil.polyhedral.affine import Scope, to_affine
from polystencil.polyhedral.parameters import constant, constant_value, index
from polystencil.proofs.decided import decided
from polystencil.transforms.index_tests import IndexTest

FARTHEST = 16  # largest distance of a test from a bound that is worth peeling


@dataclass(frozen=True)
class Margins:
    """Iterations to peel per dimension at the low and the high end; `tests` tells how many tests they decide."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    tests: int


@dataclass(frozen=True, eq=False)
class Bounds:
    """The bounds of the dimensions as functions of the parameters, on iterations of the whole nest."""

    lower: tuple[isl.PwAff, ...]
    upper: tuple[isl.PwAff, ...]

    def inner(self, low: tuple[int | isl.PwAff, ...], high: tuple[int | isl.PwAff, ...]) -> isl.Set:
        """The iterations left by margins, which are numbers or functions of the parameters."""
        depth = len(self.lower)
        out = isl.Set.universe(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, depth))
        for d in range(depth):
            i = index(d, depth)
            out = out.intersect(i.ge_set(self.lower[d].add(_margin(low[d], depth))))
            out = out.intersect(i.le_set(self.upper[d].sub(_margin(high[d], depth))))
        return out


def _margin(m: int | isl.PwAff, depth: int) -> isl.PwAff:
    return constant(m, depth) if isinstance(m, int) else m


def bounds_of(loop: s.ParallelLoop, scope: Scope) -> Bounds | None:
    """The bounds of a loop nest; None where one is not quasi-affine."""
    lower = [to_affine(i.lower, scope) for i in loop.indices]
    upper = [to_affine(i.upper, scope) for i in loop.indices]
    if any(b is None for b in (*lower, *upper)):
        return None
    return Bounds(tuple(b for b in lower if b is not None), tuple(b for b in upper if b is not None))


@dataclass(frozen=True)
class _Near:
    """A test of one index near a bound: which dimension, which end, and how far."""

    dim: int
    at_low: bool
    test: int


def find_margins(tests: list[IndexTest], bounds: Bounds) -> Margins:
    """The fewest iterations at each end outside of which the tests near the bounds have one value each."""
    depth = len(bounds.lower)
    near: list[tuple[_Near, IndexTest]] = []
    for k, t in enumerate(tests):
        found = _near(t, bounds)
        if found is not None:
            near.append((_Near(found[0], found[1], k), t))
    low, high = [0] * depth, [0] * depth
    used = 0
    for place, t in near:
        margin = _single_margin(place, t, bounds)
        if margin is None:
            continue
        used += 1
        side = low if place.at_low else high
        side[place.dim] = max(side[place.dim], margin)
    values = [(t, decided(t.truth, _lifted(bounds.inner(tuple(low), tuple(high)), t))) for _, t in near]
    settled = [t for t, v in values if v is not None]
    for side in (low, high):
        for d in range(depth):
            while side[d] > 0:
                side[d] -= 1
                points = bounds.inner(tuple(low), tuple(high))
                if any(decided(t.truth, _lifted(points, t)) is None for t in settled):
                    side[d] += 1
                    break
    return Margins(tuple(low), tuple(high), used)


def _lifted(points: isl.Set, t: IndexTest) -> isl.Set:
    have, want = points.dim(isl.dim_type.set), t.truth.may.dim(isl.dim_type.set)
    return points.add_dims(isl.dim_type.set, want - have) if want > have else points


def _near(t: IndexTest, bounds: Bounds) -> tuple[int, bool] | None:
    """The dimension and the end that a test compares an index with, where the distance is a small constant."""
    f, depth = t.difference, len(bounds.lower)
    if f.n_piece() != 1 or f.dim(isl.dim_type.in_) > depth:
        return None
    pieces: list[isl.Aff] = []
    f.foreach_piece(lambda _, aff: pieces.append(aff))
    aff = pieces[0]
    if aff.dim(isl.dim_type.div):
        return None
    coefficients = [int(aff.get_coefficient_val(isl.dim_type.in_, d).to_python()) for d in range(depth)]
    used = [d for d, c in enumerate(coefficients) if c]
    if len(used) != 1 or abs(coefficients[used[0]]) != 1:
        return None
    d = used[0]
    # f = c*i + rest is 0 at i = i - c*f
    zero = index(d, depth).sub(f.scale_val(isl.Val(coefficients[d])))
    distances = [constant_value(zero.sub(b).coalesce()) for b in (bounds.lower[d], bounds.upper[d])]
    ends = [(abs(c), k) for k, c in enumerate(distances) if c is not None and abs(c) <= FARTHEST]
    if not ends:
        return None
    return d, min(ends)[1] == 0


def _single_margin(place: _Near, t: IndexTest, bounds: Bounds) -> int | None:
    """The fewest iterations at one end beyond which a test has one value, whatever the other bounds are."""
    depth = len(bounds.lower)
    i = index(place.dim, depth)
    for margin in range(FARTHEST + 2):
        m = constant(margin, depth)
        points = i.ge_set(bounds.lower[place.dim].add(m)) if place.at_low else i.le_set(bounds.upper[place.dim].sub(m))
        if decided(t.truth, points) is not None:
            return margin
    return None


Margin = tuple[int | isl.PwAff, ...]


def frame_pieces(bounds: Bounds, low: Margin, high: Margin) -> list[isl.Set]:
    """Interior and frame as sets: per dimension the rows at both ends, outer dimensions inside, inner ones whole."""
    depth = len(bounds.lower)
    pieces = [bounds.inner(low, high)]
    for d in range(depth):
        inside_low = tuple(m if k < d else 0 for k, m in enumerate(low))
        inside_high = tuple(m if k < d else 0 for k, m in enumerate(high))
        slab = bounds.inner(inside_low, inside_high)
        cut_low = tuple(m if k <= d else 0 for k, m in enumerate(low))
        cut_high = tuple(m if k <= d else 0 for k, m in enumerate(high))
        beyond_low = bounds.inner(cut_low, inside_high)
        beyond_high = bounds.inner(inside_low, cut_high)
        if not isinstance(low[d], int) or low[d]:
            pieces.append(slab.subtract(beyond_low))
        if not isinstance(high[d], int) or high[d]:
            pieces.append(slab.subtract(beyond_high))
    return pieces
