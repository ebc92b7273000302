"""Claim: the iterations of a loop (or of several, as one space) may run in any order.

Needs: the model of a region that holds the loops; the storage that is private to an iteration (`ignored`).
Proof: let W and A be the may relations of the writes and of all accesses to a class of storage, restricted to the
loops from the region's outermost to the innermost of the claim. If the pairs (s, t) of W . A^-1 that agree in the
loops around and differ in the loops of the claim are empty for every class, no element is written in one iteration
and touched in another, so any order gives every read the same value. May relations hold every access that can
happen; an empty set of them is empty in truth.
"""

from __future__ import annotations

import islpy as isl

from polystencil.analysis.call_values import usual_values
from polystencil.analysis.storage import POINTED, storage_class
from polystencil.ir import expressions as x
from polystencil.ir.symbols import SymbolTable
from polystencil.polyhedral.accesses import Access, Loop, LoopModel
from polystencil.polyhedral.dependences import conflicts, groups_inside, may_conflict
from polystencil.proofs.budget import BudgetExceeded, within_budget
from polystencil.proofs.samples import fixed, point_values, sample_pair
from polystencil.proofs.verdicts import Proven, Refuted, Unknown, Verdict, Witness


def independent(
    model: LoopModel, loops: tuple[Loop, ...], table: SymbolTable, ignored: frozenset[str] = frozenset()
) -> Verdict:
    """Whether the iterations of `loops` (adjacent levels, outermost first) are independent."""
    outer, inner = loops[0], loops[-1]
    names = ", ".join(l.index.rsplit(".", 1)[-1] or "while" for l in loops)
    claim = f"no two iterations ({names}) touch the same element, one of them writing it"
    for o in model.obstacles:
        if len(o.loops) > inner.position and o.loops[inner.position] is inner:
            return Unknown(claim, o.reason, o.span)
    first, last = outer.position, inner.position
    unknown: Unknown | None = None
    preferred = preferred_values(model, table)
    for group in groups_inside(model, inner, table, ignored).values():
        try:
            if not within_budget(lambda: may_conflict(group, first, last, table)):  # noqa: B023  # called at once
                continue
            found = _refute(group, first, last, claim, preferred, table)
        except BudgetExceeded:
            return Unknown(claim, f"the operation budget ran out on {_title(group[0].array)}", group[0].span)
        if isinstance(found, Refuted):
            return found
        unknown = unknown or found
    return unknown or Proven(claim)


def preferred_values(model: LoopModel, table: SymbolTable) -> dict[str, int]:
    """Values for parameters that all calls in the program pass, for a witness that can be run."""
    usual = usual_values(table)
    return {
        name: usual[e.id] for name, e in model.parameters.expressions.items() if isinstance(e, x.Ref) and e.id in usual
    }


def _refute(
    group: list[Access], first: int, last: int, claim: str, preferred: dict[str, int], table: SymbolTable
) -> Refuted | Unknown:
    found = list(conflicts(group, first, last, table))
    doubt = next((d for d in found if d.must.is_empty()), None)
    for d, wanted in ((d, wanted) for wanted in (preferred, {}) for d in found if not d.must.is_empty()):
        sample = within_budget(lambda: sample_pair(d.must, wanted))  # noqa: B023  # called at once
        if sample is None:
            continue
        parameters, s, t = sample
        common = min(d.first.must.dim(isl.dim_type.out), d.second.must.dim(isl.dim_type.out))
        both = _elements(d.first, parameters, s, common).intersect(_elements(d.second, parameters, t, common))
        element = point_values(both.sample_point()) if both.dim(isl.dim_type.set) else ()
        directions = tuple(l.direction for l in d.first.loops[: last + 1])
        (s, a), (t, b) = sorted(((s, d.first), (t, d.second)), key=lambda p: _order(p[0], directions))
        kinds = ["write" if access.is_write else "read" for access in (a, b)]
        witness = Witness(
            tuple(sorted(parameters.items())), (s, t), _title(a.array), element, (a.span, b.span), "-".join(kinds)
        )
        what = f"{witness.array}({', '.join(map(str, element))})" if element else witness.array
        reason = (
            f"a dependence is carried: iteration {_show(s)} {kinds[0]}s {what} and iteration {_show(t)} {kinds[1]}s "
            "it, so their order matters"
        )
        return Refuted(claim, reason, witness)
    if doubt is None:
        raise BudgetExceeded("no pair found")
    why = doubt.first.why or doubt.second.why
    name = _title(doubt.first.array)
    if doubt.first.array != doubt.second.array or (not why and storage_class(doubt.first.array, table) == POINTED):
        why = f"{name} and {_title(doubt.second.array)} may share storage"
    else:
        why = f"{why or 'a condition or bound is not affine'}: iterations may meet in {name} (possible dependence)"
    return Unknown(claim, why, doubt.first.span)


def _elements(a: Access, parameters: dict[str, int], iteration: tuple[int, ...], count: int) -> isl.Set:
    """What an access surely touches in one iteration, by its first `count` subscripts."""
    found = fixed(a.must, parameters, iteration).range()
    return found.project_out(isl.dim_type.set, count, found.dim(isl.dim_type.set) - count)


def _order(iteration: tuple[int, ...], directions: tuple[int, ...]) -> tuple[int, ...]:
    """What sorts iterations in the order in which the program runs them."""
    return tuple(v * (d or 1) for v, d in zip(iteration, directions, strict=False))


def _show(iteration: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, iteration))})"


def _title(path: str) -> str:
    id, *fields = path.split("%")
    return "%".join([id.rsplit(".", 1)[-1], *fields])
