"""Claim: a loop whose body is A; B may run as a loop over A followed by a loop over B.

Needs: the model of the one loop L, with each statement of the body in a block of its own (so that `place` numbers
them); the storage of which A and B each need a value of their own only (`own`); no obstacle inside L.
Proof: the two loops run every instance that L runs, those of A in the same order and those of B in the same order.
The pairs that change places are (b at iteration s, a at iteration t) with s before t in L: b ran first, now a does.
If no such pair touches an element that one of the two writes - may relations W . A^-1, ordered by L, are empty for
every class of storage - every read finds the value that it found before, and every element is left with the same
value. What `own` names is written before it is read on each side and not read afterwards, so a pair that meets there
passes no value.
"""

from __future__ import annotations

import islpy as isl

from polystencil.ir.symbols import SymbolTable
from polystencil.polyhedral.accesses import Access, LoopModel
from polystencil.polyhedral.dependences import EVERYWHERE, groups_inside, leading, ordered, shared_dimensions
from polystencil.proofs.budget import BudgetExceeded, within_budget
from polystencil.proofs.verdicts import Proven, Unknown, Verdict

O = isl.dim_type.out


def statement_of(access: Access) -> int:
    """The number of the statement of the loop's body that an access stands in, from 1."""
    return access.place[1]


def distributable(model: LoopModel, cut: int, own: frozenset[str], table: SymbolTable) -> Verdict:
    """Whether the loop may be cut behind its first `cut` statements."""
    loop = model.loops[0]
    claim = f"no statement behind the first {cut} of the loop must run before a later iteration of those"
    for o in model.obstacles:
        if loop in o.loops:
            return Unknown(claim, o.reason, o.span)
    if loop.direction == 0:
        return Unknown(claim, "the step of the loop is not a constant", loop.statement.span)
    for group in groups_inside(model, loop, table, own).values():
        before = [a for a in group if statement_of(a) <= cut]
        after = [a for a in group if statement_of(a) > cut]
        for b in after:
            for a in before:
                if not (a.is_write or b.is_write):
                    continue
                try:
                    meets = within_budget(lambda: _meet_in_other_order(b, a, loop.direction, table))  # noqa: B023  # called at once
                except BudgetExceeded:
                    return Unknown(claim, "the operation budget ran out", b.span)
                if meets:
                    what = f"a value of {table.symbols[a.array.split('%', 1)[0]].name} passes back to a later iteration"
                    return Unknown(claim, what, b.span)
    return Proven(claim)


def _meet_in_other_order(b: Access, a: Access, direction: int, table: SymbolTable) -> bool:
    share = shared_dimensions(a.array, b.array, table)
    if share is None:
        return False
    first, second = leading(b.may, 1), leading(a.may, 1)
    share = EVERYWHERE if share == EVERYWHERE else min(share, first.dim(O), second.dim(O))
    first, second = (m.project_out(O, share, m.dim(O) - share) for m in (first, second))
    return not ordered(first.apply_range(second.reverse()), 0, (direction,)).is_empty()
