"""Claim: every access of a loop lies within the declared bounds of its array.

Needs: bounds that hold all through the procedure, as quasi-affine functions of the model's parameters.
Proof: per dimension, the may relation intersected with "subscript < lower or subscript > upper" is empty.
Refuted only where, for every value of the parameters for which the access runs at all, some iteration is outside:
then no valid use of the program exists, and the witness is one such iteration.
"""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polystencil.errors import Span
from polystencil.ir import expressions as x
from polystencil.ir.symbols import SymbolTable
from polystencil.polyhedral.accesses import Access
from polystencil.polyhedral.affine import Scope, to_affine
from polystencil.polyhedral.bounds import dimensions_of
from polystencil.proofs.budget import BudgetExceeded, within_budget
from polystencil.proofs.samples import point_values, sample_pair
from polystencil.proofs.verdicts import Proven, Refuted, Unknown, Verdict, Witness

O = isl.dim_type.out


@dataclass(frozen=True, eq=False)
class Outside:
    """An access outside of its array: which dimension (from 1), the index, and the bounds there.

    `always`: it happens whenever the region is reached, whatever the parameters are.
    """

    witness: Witness
    dimension: int
    index: int
    bounds: tuple[int, int]
    iteration: dict[str, int]
    span: Span
    always: bool


def inside(access: Access, table: SymbolTable, scope: Scope) -> tuple[Verdict, Outside | None]:
    """The verdict on one access, and for a refuted one where it is outside."""
    claim = f"every subscript of {_title(access.array)} lies within its bounds"
    symbol = table.symbols.get(access.array)  # the storage's own bounds: a dummy that stands for it may have others
    whole = None if symbol is None else x.Ref(symbol.id, symbol.type, len(symbol.shape or ()))
    known = dimensions_of(whole, table) if whole is not None else None
    if known is None or access.may.dim(O) != len(known):
        return Unknown(claim, "the bounds of the array are not known here", access.span), None
    try:
        return within_budget(lambda: _judge(access, known, scope, claim))
    except BudgetExceeded:
        return Unknown(claim, "the operation budget ran out", access.span), None


def _judge(
    access: Access, known: list[tuple[x.Expression, x.Expression]], scope: Scope, claim: str
) -> tuple[Verdict, Outside | None]:
    doubt: Unknown | None = None
    for dim, pair in enumerate(known):
        bounds = [to_affine(e, scope) for e in pair]
        if bounds[0] is None or bounds[1] is None:
            doubt = Unknown(claim, "a bound of the array is not affine", access.span)
            continue
        outside = _outside(access.may, dim, bounds[0], bounds[1])
        if outside.is_empty():
            continue
        sure = _outside(access.must, dim, bounds[0], bounds[1])
        runs = access.must.params()
        if sure.is_empty() or not runs.is_subset(sure.params()) or access.why:
            doubt = doubt or Unknown(claim, access.why or "it depends on values at run time", access.span)
            continue
        return _refuted(access, dim, sure, bounds[0], bounds[1], claim)
    return doubt or Proven(claim), None


def _outside(m: isl.Map, dim: int, lower: isl.PwAff, upper: isl.PwAff) -> isl.Map:
    rank = m.dim(O)
    space = isl.LocalSpace.from_space(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, rank))
    element = isl.PwAff.var_on_domain(space, isl.dim_type.set, dim)
    low, high = (b.add_dims(isl.dim_type.in_, rank) for b in (lower, upper))
    return m.intersect_range(element.lt_set(low).union(element.gt_set(high)))


def _refuted(
    access: Access, dim: int, sure: isl.Map, lower: isl.PwAff, upper: isl.PwAff, claim: str
) -> tuple[Verdict, Outside | None]:
    first = sure.lexmin() if sure.dim(isl.dim_type.param) == 0 else sure  # the first one that the program would meet
    sample = sample_pair(first)
    if sample is None:
        return Unknown(claim, "no point found", access.span), None
    parameters, iteration, element = sample
    low, high = (_value(b, parameters) for b in (lower, upper))
    name = _title(access.array)
    names = [l.index.rsplit(".", 1)[-1] for l in access.loops]
    witness = Witness(
        tuple(sorted(parameters.items())), (iteration,), name, element, (access.span,), "out of bounds"
    )
    at = ", ".join(f"{n} = {v}" for n, v in zip(names, iteration, strict=True))
    reason = (
        f"subscript {element[dim]} of dimension {dim + 1} of {name} is outside of its bounds {low}:{high}"
        + (f" at {at}" if at else "")
    )
    found = Outside(witness, dim + 1, element[dim], (low, high), dict(zip(names, iteration, strict=True)), access.span,
                    bool(sure.params().plain_is_universe()))  # fmt: skip
    return Refuted(claim, reason, witness), found


def _value(f: isl.PwAff, parameters: dict[str, int]) -> int:
    s = isl.Map.from_pw_aff(f).range()
    for k in range(s.dim(isl.dim_type.param)):
        name = s.get_dim_name(isl.dim_type.param, k)
        if name in parameters:
            s = s.fix_val(isl.dim_type.param, k, isl.Val(parameters[name]))
    return point_values(s.sample_point())[0]


def _title(path: str) -> str:
    id, *fields = path.split("%")
    return "%".join([id.rsplit(".", 1)[-1], *fields])
