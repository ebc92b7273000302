"""From logical expressions to the iterations for which they may and must be true.

Three-valued: a part that isl cannot hold may be true anywhere and must be true nowhere. An invariant logical that
is no comparison of integers is a parameter, true where it is at least 1.
"""

from __future__ import annotations

import islpy as isl

from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of
from polystencil.polyhedral.affine import Known, Scope, Truth, to_affine


def to_sets(e: x.Expression, scope: Scope) -> Truth:
    """Where `e` holds."""
    match e:
        case x.Literal() | x.NamedConstant():
            return _exact(scope.universe() if e.value else scope.empty())
        case x.Ref() if isinstance(known := scope.values.get(e.id), Truth):
            return _lifted(known, scope.depth)
        case x.Paren():
            return to_sets(e.operand, scope)
        case x.Convert():
            return to_sets(e.operand, scope)
        case x.Unary() if e.operator == ".not.":
            return to_sets(e.operand, scope).negated()
        case x.Binary() if e.operator in (".and.", ".or.", ".eqv.", ".neqv."):
            return _connective(e.operator, to_sets(e.left, scope), to_sets(e.right, scope))
        case x.Binary() if e.operator in _COMPARE:
            a = to_affine(e.left, scope) if _integer(e.left) else None
            b = to_affine(e.right, scope) if _integer(e.right) else None
            if a is not None and b is not None:
                return _exact(_COMPARE[e.operator](a, b))
        case _:
            pass
    if rank_of(e) == 0 and scope.invariant(e):
        f = scope.parameters.affine(e, scope.depth)
        one = f.sub(f).add_constant_val(isl.Val(1))
        return _exact(f.ge_set(one))
    return Truth(scope.universe(), scope.empty(), False)


_COMPARE = {
    "==": lambda a, b: a.eq_set(b),
    "/=": lambda a, b: a.ne_set(b),
    "<": lambda a, b: a.lt_set(b),
    "<=": lambda a, b: a.le_set(b),
    ">": lambda a, b: a.gt_set(b),
    ">=": lambda a, b: a.ge_set(b),
}


def _integer(e: x.Expression) -> bool:
    t = type_of(e)
    return isinstance(t, Intrinsic) and t.base == "integer"


def _exact(s: isl.Set) -> Truth:
    return Truth(s, s, True)


def _connective(operator: str, a: Truth, b: Truth) -> Truth:
    exact = a.exact and b.exact
    if operator == ".and.":
        return Truth(a.may.intersect(b.may), a.must.intersect(b.must), exact)
    if operator == ".or.":
        return Truth(a.may.union(b.may), a.must.union(b.must), exact)
    same = _connective(
        ".or.", _connective(".and.", a, b), _connective(".and.", a.negated(), b.negated())
    )
    return same if operator == ".eqv." else same.negated()


def _lifted(t: Truth, depth: int) -> Truth:
    more = depth - t.may.dim(isl.dim_type.set)
    if more == 0:
        return t
    return Truth(t.may.add_dims(isl.dim_type.set, more), t.must.add_dims(isl.dim_type.set, more), t.exact)


def known_value(e: x.Expression, scope: Scope) -> Known:
    """The value of a scalar integer or logical expression, as far as isl can hold it."""
    t = type_of(e)
    if isinstance(t, Intrinsic) and t.base == "logical" and rank_of(e) == 0:
        return to_sets(e, scope)
    return to_affine(e, scope)
