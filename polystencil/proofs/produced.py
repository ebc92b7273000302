"""Claim: every element that the consumer reads of an array is one that the producer writes.

Needs: one model of both loops, so that they share parameters; the accesses of the array.
Proof: R, the union of the ranges of the reads in may form, holds every element read on any path through the consumer;
W, the union of the ranges of the writes in must form, only elements surely written. R, cut to the bounds of the array
as in any valid program, is a subset of W for all parameters. Where the bounds are values at run time, the claim is
proven under the hypothesis H that they lie within the box of W, which the host then checks.
"""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polystencil.polyhedral.accesses import Access
from polystencil.proofs.budget import BudgetExceeded, within_budget
from polystencil.proofs.samples import sample_set
from polystencil.proofs.verdicts import Proven, Refuted, Unknown, Verdict, Witness

PARAM, SET = isl.dim_type.param, isl.dim_type.set


@dataclass(frozen=True, eq=False)
class ArrayBounds:
    """Bounds of an array as parameter functions, per dimension; `at_run_time` when they are opaque values."""

    lower: tuple[isl.PwAff, ...]
    upper: tuple[isl.PwAff, ...]
    at_run_time: bool


def produced(
    name: str, reads: list[Access], writes: list[Access], bounds: ArrayBounds | None
) -> tuple[Verdict, list[tuple[isl.PwAff, isl.PwAff]] | None]:
    """The verdict, and for a hypothesis on run-time bounds the box (lower, upper per dimension) they must lie in."""
    claim = f"every element of {name} that the consumer reads is one that the producer writes"
    for r in reads:
        if r.why:
            return Unknown(claim, f"a subscript with which the consumer reads {name} is not affine", r.span), None
    for w in writes:
        if w.why or not w.may.domain().is_equal(w.must.domain()):
            return Unknown(claim, f"a test or subscript of the producer of {name} is not expressible exactly", w.span), None
    try:
        return within_budget(lambda: _judge(claim, name, reads, writes, bounds))
    except BudgetExceeded:
        return Unknown(claim, "the operation budget ran out", reads[0].span), None


def _judge(
    claim: str, name: str, reads: list[Access], writes: list[Access], bounds: ArrayBounds | None
) -> tuple[Verdict, list[tuple[isl.PwAff, isl.PwAff]] | None]:
    read = _ranges([a.may for a in reads])
    written = _ranges([a.must for a in writes])
    inside = box_of(bounds) if bounds is not None else isl.Set.universe(read.get_space())
    missing = read.intersect(inside).subtract(written)
    if missing.is_empty():
        return Proven(claim, f"{read} subset of {written}"), None
    if bounds is not None and bounds.at_run_time:
        box = _box_of(written)
        if box is not None:
            hypothesis = isl.Set.universe(isl.Space.params_alloc(isl.DEFAULT_CONTEXT, 0))
            for (low, high), lb, ub in zip(box, bounds.lower, bounds.upper, strict=True):
                ok = lb.ge_set(low).intersect(ub.le_set(high))
                hypothesis = hypothesis.intersect(ok.params())
            if missing.intersect_params(hypothesis).is_empty():
                return Proven(claim + ", if the bounds of the array lie within the producer's"), box
    witness = None
    sample = sample_set(missing)
    if sample is not None:
        witness = Witness(tuple(sorted(sample[0].items())), (), name, sample[1], (reads[0].span,), "read, not written")
    shown = f"{name}({', '.join(map(str, sample[1]))})" if sample is not None else name
    reason = f"coverage fails: the consumer may read {shown}, an element that the producer does not write"
    return Refuted(claim, reason, witness), None


def _ranges(maps: list[isl.Map]) -> isl.Set:
    out = maps[0].range()
    for m in maps[1:]:
        out = out.union(m.range())
    return out.coalesce()


def _element(d: int, rank: int) -> isl.PwAff:
    space = isl.LocalSpace.from_space(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, rank))
    return isl.PwAff.var_on_domain(space, SET, d)


def box_of(bounds: ArrayBounds) -> isl.Set:
    """The elements inside the bounds of an array."""
    lower, upper = bounds.lower, bounds.upper
    rank = len(lower)
    out = isl.Set.universe(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, rank))
    for d in range(rank):
        low, high = (b.add_dims(isl.dim_type.in_, rank) for b in (lower[d], upper[d]))
        out = out.intersect(_element(d, rank).ge_set(low)).intersect(_element(d, rank).le_set(high))
    return out


def _box_of(written: isl.Set) -> list[tuple[isl.PwAff, isl.PwAff]] | None:
    """Lower and upper bound per dimension of a set, where each is one quasi-affine function."""
    out = []
    rank = written.dim(SET)
    for d in range(rank):
        along = written.project_out(SET, d + 1, rank - d - 1).project_out(SET, 0, d)
        rays = isl.Map.from_range(along)
        try:
            low = rays.lexmin_pw_multi_aff().get_pw_aff(0).coalesce()
            high = rays.lexmax_pw_multi_aff().get_pw_aff(0).coalesce()
        except isl.Error as error:
            if "unbounded" not in str(error):
                raise
            return None
        if low.n_piece() != 1 or high.n_piece() != 1:
            return None
        out.append((_total(low), _total(high)))
    return out


def _total(f: isl.PwAff) -> isl.PwAff:
    pieces: list[isl.Aff] = []
    f.foreach_piece(lambda _, aff: pieces.append(aff))
    return isl.PwAff.from_aff(pieces[0])
