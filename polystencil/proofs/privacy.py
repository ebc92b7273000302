"""Claim: every iteration of a loop writes an element of some storage before it reads it.

Needs: the accesses of the storage inside the loop L at position p (p loops around it).
Proof: let r be a read at textual place q. A write w at a place before q that shares the loops 0..c-1 (c > p) with r
runs, for the same values of those loops, before r: its statement list is entered before r's. The elements that w
surely writes in such an iteration are its must relation with the loops from c on projected out. If the may relation
of r lies in the union of these over all such w, everything that r reads was written earlier in the same iteration
of L, so a copy of the storage per iteration serves every read the same value.
"""

from __future__ import annotations

import islpy as isl

from polystencil.polyhedral.accesses import Access, Loop
from polystencil.proofs.budget import BudgetExceeded, within_budget
from polystencil.proofs.verdicts import Proven, Refuted, Unknown, Verdict

I, O = isl.dim_type.in_, isl.dim_type.out


def private_to(loop: Loop, accesses: list[Access], name: str) -> Verdict:
    """Whether each iteration of `loop` writes `name` before reading it; `accesses` are those inside the loop.

    They are accesses of one variable and of its components; a write of the whole covers reads of a component.
    """
    claim = f"each iteration writes {name} before it reads it"
    writes = [a for a in accesses if a.is_write]
    for read in (a for a in accesses if not a.is_write):
        try:
            covered = within_budget(lambda: _covered(read, writes, loop.position))  # noqa: B023  # called at once
        except BudgetExceeded:
            return Unknown(claim, "the operation budget ran out", read.span)
        if not covered:
            return Refuted(claim, f"the scalar {name} is read before it is written: its value is carried", None)
    return Proven(claim)


def _covered(read: Access, writes: list[Access], position: int) -> bool:
    rest = read.may
    for w in writes:
        if not w.place < read.place or not holds(w.array, read.array):
            continue
        common = common_loops(w, read)
        if common <= position:
            continue
        sure = w.must.project_out(I, common, w.must.dim(I) - common)
        sure = sure.add_dims(I, read.may.dim(I) - common).add_dims(O, read.may.dim(O) - w.must.dim(O))
        rest = rest.subtract(sure)
        if rest.is_empty():
            return True
    return bool(rest.is_empty())


def holds(whole: str, part: str) -> bool:
    """Whether the storage of one path holds that of another: it is the same, or a component of it."""
    return part == whole or part.startswith(whole + "%")


def common_loops(a: Access, b: Access) -> int:
    """How many loops, from the outermost on, are around both."""
    count = 0
    for x, y in zip(a.loops, b.loops, strict=False):
        if x is not y:
            break
        count += 1
    return count


def surely_written(loop: Loop, writes: list[Access], domain: isl.Set) -> bool:
    """Whether every iteration of `loop` in `domain` writes the scalar, so that the last one leaves its value."""
    rest = domain
    for w in writes:
        count = loop.position + 1
        done = w.must.domain()
        rest = rest.subtract(done.project_out(isl.dim_type.set, count, done.dim(isl.dim_type.set) - count))
    return bool(rest.is_empty())
