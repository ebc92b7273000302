"""Claim: the value that a read sees is that of the last of several loops that writes the element, or of memory.

Needs: the loops in their order, the last one first, one access that writes the array in each; per loop the tests that
describe its elements; the elements read; bounds of the array.
Proof: by induction over the loops from the last to the first. W, the range of a loop's write, is exact (may and must
form agree) and each element has one iteration (the map is injective), so for an element in W the value is the one of
that iteration, whatever earlier loops wrote; for one outside it is what the earlier loops left, and in the end memory,
which no other statement writes. The tests describe W: their intersection equals it. A read whose elements R all lie
in W, or none, needs no test; otherwise a part of the tests decides where R cut by that part equals R cut by W. As in
any valid program R lies inside the bounds of the array.
"""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polystencil.polyhedral.accesses import Access
from polystencil.polyhedral.affine import Truth
from polystencil.proofs.budget import BudgetExceeded, within_budget
from polystencil.proofs.verdicts import Proven, Unknown, Verdict


@dataclass(frozen=True)
class Chosen:
    """How a read finds its value: `always` from the loop, `never`, or where the tests at positions `tests` hold."""

    always: bool = False
    tests: tuple[int, ...] = ()

    @property
    def never(self) -> bool:
        """Whether the loop writes no element that is read."""
        return not self.always and not self.tests


def latest_producer(
    name: str, reads: list[isl.Set], write: Access, others: list[Access], tests: list[Truth], inside: isl.Set | None
) -> tuple[Verdict, list[Chosen]]:
    """Whether the claim holds at one loop, and how each of the reads (the elements of one place each) chooses there.

    `others` are later writes to the array by the same loop: they must meet `write` in the same iteration only.
    """
    claim = f"the value read of {name} is that of the last loop that writes the element, or of memory"
    exact = not write.why and write.may.is_equal(write.must) and all(t.exact for t in tests)
    if not exact:
        return Unknown(claim, f"a test or subscript of a producer of {name} is not expressible exactly", write.span), []
    try:
        return within_budget(lambda: _judge(claim, name, reads, write, others, tests, inside))
    except BudgetExceeded:
        return Unknown(claim, "the operation budget ran out", write.span), []


def _judge(
    claim: str, name: str, reads: list[isl.Set], write: Access, others: list[Access], tests: list[Truth],
    inside: isl.Set | None,
) -> tuple[Verdict, list[Chosen]]:  # fmt: skip
    written = write.must.range()
    if not write.must.is_injective():
        return Unknown(claim, f"two iterations of a producer may write one element of {name}", write.span), []
    for other in others:
        meet = write.may.apply_range(other.may.reverse())
        if other.why or not meet.is_subset(isl.Map.identity(meet.get_space())):
            return Unknown(claim, f"iterations of one loop may write the same element of {name}", other.span), []
    described = isl.Set.universe(written.get_space())
    for t in tests:
        described = described.intersect(t.must)
    if not described.is_equal(written):
        why = f"the elements of {name} that a producer writes are not those of its bounds and tests alone"
        return Unknown(claim, why, write.span), []
    chosen = [_chosen(r if inside is None else r.intersect(inside), written, tests) for r in reads]
    return Proven(claim, f"written last: {written}"), chosen


def _chosen(read: isl.Set, written: isl.Set, tests: list[Truth]) -> Chosen:
    if read.is_subset(written):
        return Chosen(always=True)
    if read.intersect(written).is_empty():
        return Chosen()
    kept = list(range(len(tests)))
    for k in range(len(tests)):
        rest = [m for m in kept if m != k]
        part = read
        for m in rest:
            part = part.intersect(tests[m].must)
        if part.is_subset(tests[k].must):
            kept = rest
    return Chosen(tests=tuple(kept))
