"""Claim: a test has one value on a set of iterations.

Needs: the test in may and must form, the set (may form).
Proof: the test is false on the set when its may form does not meet it, true when its must form contains it. May forms
hold every iteration for which the test can be true and must forms only ones for which it is, so neither answer can be
wrong for an iteration of the set.
"""

from __future__ import annotations

import islpy as isl

from polystencil.polyhedral.affine import Truth
from polystencil.proofs.budget import BudgetExceeded, within_budget


def decided(truth: Truth, points: isl.Set) -> bool | None:
    """The one value of a test on `points`; None where it may have both, or the budget ran out."""
    try:
        return within_budget(lambda: _value(truth, points))
    except BudgetExceeded:
        return None


def _value(truth: Truth, points: isl.Set) -> bool | None:
    if points.intersect(truth.may).is_empty():
        return False
    if points.is_subset(truth.must):
        return True
    return None
