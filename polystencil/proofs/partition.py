"""Claim: pieces of an iteration space are disjoint and their union is the whole space.

Needs: the space and the pieces as sets over the same dimensions, for symbolic bounds; a context under which the
program uses them (the interior is not empty).
Proof: pairwise intersections within the context are empty; space minus union and union minus space are empty. A piece
that is a product of ranges of widths w1..wk, numbered row by row, is enumerated once by f = 0 .. w1*...*wk - 1, since
f -> (f / (w2*...*wk), ..., mod(f, wk)) is Euclidean division and has an inverse.
"""

from __future__ import annotations

import itertools

import islpy as isl

from polystencil.proofs.budget import BudgetExceeded, within_budget
from polystencil.proofs.samples import sample_set
from polystencil.proofs.verdicts import Proven, Refuted, Unknown, Verdict, Witness


def is_partition(space: isl.Set, pieces: list[isl.Set], context: isl.Set) -> Verdict:
    """Whether `pieces` partition `space` for all parameters in `context` (a parameter set)."""
    claim = "the pieces are disjoint and cover the iteration space"
    try:
        wrong = within_budget(lambda: _wrong(space, pieces, context))
    except BudgetExceeded:
        return Unknown(claim, "the operation budget ran out")
    if wrong is None:
        return Proven(claim)
    what, points = wrong
    sample = sample_set(points)
    witness = None
    if sample is not None:
        witness = Witness(tuple(sorted(sample[0].items())), (sample[1],), "", (), (), what)
    return Refuted(claim, what, witness)


def _wrong(space: isl.Set, pieces: list[isl.Set], context: isl.Set) -> tuple[str, isl.Set] | None:
    space = space.intersect_params(context)
    pieces = [p.intersect_params(context) for p in pieces]
    for a, b in itertools.combinations(pieces, 2):
        both = a.intersect(b)
        if not both.is_empty():
            return "two pieces share an iteration", both
    union = pieces[0]
    for p in pieces[1:]:
        union = union.union(p)
    for missing, what in ((space.subtract(union), "an iteration is in no piece"),
                          (union.subtract(space), "a piece has an iteration more")):  # fmt: skip
        if not missing.is_empty():
            return what, missing
    return None
