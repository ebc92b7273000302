"""Claim: running the launches of a time loop band by band, shifted by sigma rows a launch, respects every dependence.

Needs: every array that a launched loop writes is written at its own row (the loop's outermost index x); every read of
such an array at row x + o has -sigma <= o <= sigma; launches are numbered k = 0, 1, ... in the order of the program; a
row x of launch k runs in band clip(floor((x - B + k*sigma)/R), 0, nb), bands in order, launches of a band in order.
Proof: let an iteration at row x' of launch k' touch a row that one at row x of launch k > k' touches, one of them
writing it. As writes are at the own row, x' - x is o, -o or 0, so x' - x <= sigma <= (k - k')*sigma, hence
x' - B + k'*sigma <= x - B + k*sigma. floor and clip are monotone: the band of the earlier launch is not later; within
one band launches keep their order. sigma is the exact maximum of |o|: the may relations of the reads, with the path
conditions around them, are projected to row offsets over all parameter values by isl.
"""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polystencil.polyhedral.accesses import Access
from polystencil.proofs.budget import BudgetExceeded, within_budget
from polystencil.proofs.verdicts import Proven, Unknown, Verdict

I, O, P = isl.dim_type.in_, isl.dim_type.out, isl.dim_type.param


@dataclass(frozen=True)
class Offsets:
    """The smallest and largest offset of a row subscript from the loop's row; None where there is no bound."""

    low: int | None
    high: int | None


def row_offsets(access: Access, dim: int, context: isl.Set | None) -> Offsets:
    """Offsets of subscript `dim` from the outermost loop index, over all iterations and parameter values."""
    relation = access.may if context is None else access.may.intersect_params(context)
    pairs = relation.project_out(O, dim + 1, relation.dim(O) - dim - 1).project_out(O, 0, dim)
    pairs = pairs.project_out(I, 1, pairs.dim(I) - 1)
    deltas = pairs.deltas().project_out(P, 0, pairs.dim(P))
    if deltas.is_empty():
        return Offsets(0, 0)
    low, high = deltas.dim_min_val(0), deltas.dim_max_val(0)
    return Offsets(
        int(low.to_python()) if low.is_int() else None, int(high.to_python()) if high.is_int() else None
    )


def band_order(sigma: int, reads: list[tuple[Access, int]], context: isl.Set | None) -> Verdict:
    """Whether every read (with the row dimension of its array) stays within sigma rows of its own."""
    claim = f"every row that a launch reads is at most {sigma} rows ahead or behind its own, so bands keep the order"
    for access, dim in reads:
        try:
            found = within_budget(lambda: row_offsets(access, dim, context))  # noqa: B023  # called at once
        except BudgetExceeded:
            return Unknown(claim, "the operation budget ran out", access.span)
        if found.low is None or found.high is None or max(-found.low, found.high) > sigma:
            return Unknown(claim, "a row read is not at a constant distance", access.span)
    return Proven(claim)
