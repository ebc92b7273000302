"""From affine isl functions of parameters back to expressions of the program."""

from __future__ import annotations

import islpy as isl

from polystencil.ir import expressions as x
from polystencil.ir.building import as_kind, integer, minus, plus, times
from polystencil.ir.types import INTEGER8, Intrinsic
from polystencil.ir.typing import type_of
from polystencil.polyhedral.parameters import Parameters


def to_expression(f: isl.PwAff, parameters: Parameters) -> x.Expression | None:
    """The expression of a function that is one affine form with integer coefficients; None for any other."""
    if f.n_piece() != 1:
        return None
    pieces: list[isl.Aff] = []
    f.foreach_piece(lambda _, aff: pieces.append(aff))
    aff = pieces[0]
    if aff.dim(isl.dim_type.div) or int(aff.get_denominator_val().to_python()) != 1:
        return None
    kinds = {type_of(parameters.expressions[aff.get_dim_name(isl.dim_type.param, k)]) for k in range(aff.dim(isl.dim_type.param))}
    kind = 8 if INTEGER8 in kinds else 4
    out: x.Expression = integer(0, Intrinsic("integer", kind))
    for k in range(aff.dim(isl.dim_type.param)):
        c = int(aff.get_coefficient_val(isl.dim_type.param, k).to_python())
        if not c:
            continue
        e = as_kind(parameters.expressions[aff.get_dim_name(isl.dim_type.param, k)], kind)
        term = times(integer(abs(c), Intrinsic("integer", kind)), e)
        out = plus(out, term) if c > 0 else minus(out, term)
    return plus(out, integer(int(aff.get_constant_val().to_python()), Intrinsic("integer", kind)))
