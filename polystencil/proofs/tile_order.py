"""Claim: running the launches of a time loop tile by tile of rows, first trapezoids and then the triangles between them,
respects every dependence, and tiles of one phase are independent of each other.

Needs: `order.band_order` for sigma: what a row of launch k touches of what an earlier launch k' < k wrote (or read, where
launch k writes) lies at most sigma rows from it; boundaries c of tiles are at least 2*K*sigma rows apart, K the number
of launches; a row x of launch k is in the triangle of c when c - k*sigma <= x <= c + k*sigma - 1, else in a trapezoid,
the one of the tile that x lies in. All trapezoids run before all triangles, launches of each in order.
Proof: for the number sigma and all integers c, k' < k < K, x, x' with |x - x'| <= sigma, isl finds no points such that
  (1) the earlier one is in the triangle of c and the later one is not: triangles only depend on what ran before them;
  (2) both are in trapezoids on different sides of c: trapezoids of different tiles are independent;
  (3) x is in the triangles of two boundaries: triangles are disjoint, and by (1) independent of each other.
"""

from __future__ import annotations

import islpy as isl

from polystencil.proofs.budget import BudgetExceeded, within_budget
from polystencil.proofs.verdicts import Proven, Unknown, Verdict


def tile_order(sigma: int) -> Verdict:
    """Whether trapezoids and then triangles keep the order of launches that reach `sigma` >= 1 rows."""
    claim = f"trapezoids and triangles of rows, narrowing by {sigma} a launch, keep the order of every dependence"
    try:
        left = within_budget(lambda: [name for name, points in violations(sigma, sigma) if not points.is_empty()])
    except BudgetExceeded:
        return Unknown(claim, "the operation budget ran out")
    return Unknown(claim, left[0]) if left else Proven(claim)


def violations(sigma: int, reach: int) -> list[tuple[str, isl.Set]]:
    """What would break the order, where boundaries move by `sigma` rows a launch and launches reach `reach` rows."""
    later = f"0 <= k0 and k0 < k and k < K and -{reach} <= x - x0 and x - x0 <= {reach}"
    first = f"(c - {sigma}*k0 <= x0 and x0 <= c + {sigma}*k0 - 1)"
    outside = f"(x < c - {sigma}*k or x > c + {sigma}*k - 1)"
    left0, right0 = f"x0 < c - {sigma}*k0", f"x0 > c + {sigma}*k0 - 1"
    left, right = f"x < c - {sigma}*k", f"x > c + {sigma}*k - 1"
    both = f"(({left0} and {right}) or ({right0} and {left}))"
    twice = (
        f"0 <= k and k < K and d - c >= {2 * sigma}*K and c - {sigma}*k <= x and x <= c + {sigma}*k - 1 "
        f"and d - {sigma}*k <= x and x <= d + {sigma}*k - 1"
    )
    parameters = "[c, d, K]"
    return [
        (
            "a trapezoid depends on a triangle",
            _set(f"{parameters} -> {{ [k0, x0, k, x] : {later} and {first} and {outside} }}"),
        ),
        ("a trapezoid depends on another", _set(f"{parameters} -> {{ [k0, x0, k, x] : {later} and {both} }}")),
        ("two triangles share a row", _set(f"{parameters} -> {{ [k, x] : {twice} }}")),
    ]


def _set(text: str) -> isl.Set:
    return isl.Set.read_from_str(isl.DEFAULT_CONTEXT, text)
