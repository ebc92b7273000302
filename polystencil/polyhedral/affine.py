"""From integer expressions to quasi-affine isl functions of the loop indices and parameters.

Exact or nothing: an expression that isl cannot hold gives None and can then only fail to prove. Expressible are
+ - *constant, truncating division and mod/modulo by constants, min, max, abs, merge with an exact condition,
and any invariant expression as a parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import islpy as isl

from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of
from polystencil.polyhedral.parameters import Parameters, constant, constant_value, index, lifted

MAX_PIECES = 24  # a function of more pieces costs more than it can prove


@dataclass(frozen=True, eq=False)
class Truth:
    """The iterations for which a condition may be true and those for which it must be; `exact` when they agree."""

    may: isl.Set
    must: isl.Set
    exact: bool

    def negated(self) -> Truth:
        """The same of `.not.` the condition."""
        return Truth(self.must.complement(), self.may.complement(), self.exact)


Known: TypeAlias = "isl.PwAff | Truth | None"  # the value of an integer or logical scalar at a place


@dataclass(eq=False)
class Scope:
    """What names mean at a place: loop indices by position, known values of scalars, invariance of the rest.

    `values` maps a scalar's id to its value here, or to None where it is not known. `invariant` tells whether an
    expression has one value while the region runs. `depth` is the number of loops around the place; `reached` gives
    the iterations that may get there, where that is known. `assume` is offered a condition on shapes that nothing
    proves, and says whether the host will check it before the region runs.
    """

    parameters: Parameters
    invariant: Callable[[x.Expression], bool]
    indices: dict[str, int] = field(default_factory=dict)
    values: dict[str, Known] = field(default_factory=dict)
    depth: int = 0
    bound_of: Callable[[x.IntrinsicCall], x.Expression | None] = lambda _: None
    reached: Callable[[], isl.Set | None] = lambda: None
    assume: Callable[[x.Expression], bool] = lambda _: False

    def universe(self) -> isl.Set:
        """All points of this depth."""
        return isl.Set.universe(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, self.depth))

    def empty(self) -> isl.Set:
        """No point of this depth."""
        return isl.Set.empty(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, self.depth))


def to_affine(e: x.Expression, scope: Scope) -> isl.PwAff | None:
    """The value of an integer expression as a function on the iterations around it, or None."""
    f = _affine(e, scope)
    if f is not None and f.n_piece() > MAX_PIECES:
        return None
    return f


def _affine(e: x.Expression, scope: Scope) -> isl.PwAff | None:
    match e:
        case x.Literal() | x.NamedConstant():
            return constant(int(e.value), scope.depth) if isinstance(e.value, int) else None
        case x.Ref() if e.id in scope.indices:
            return index(scope.indices[e.id], scope.depth)
        case x.Ref() if e.id in scope.values:
            known = scope.values[e.id]
            return lifted(known, scope.depth) if isinstance(known, isl.PwAff) else None
        case x.Paren():
            return to_affine(e.operand, scope)
        case x.Convert() if _is_integer(e.operand) and _is_integer(e):
            return to_affine(e.operand, scope)
        case _:
            pass
    if not _is_integer(e) or rank_of(e) != 0:
        return None
    f = _operation(e, scope)
    if f is None and scope.invariant(e):
        return scope.parameters.affine(e, scope.depth)
    return f


def _is_integer(e: x.Expression) -> bool:
    t = type_of(e)
    return isinstance(t, Intrinsic) and t.base == "integer"


def _operation(e: x.Expression, scope: Scope) -> isl.PwAff | None:
    match e:
        case x.Unary():
            f = to_affine(e.operand, scope)
            return None if f is None else f.neg() if e.operator == "-" else f
        case x.Binary():
            return _binary(e, scope)
        case x.IntrinsicCall():
            return _intrinsic(e, scope)
        case _:
            return None


def _binary(e: x.Binary, scope: Scope) -> isl.PwAff | None:
    a, b = to_affine(e.left, scope), to_affine(e.right, scope)
    if a is None or b is None:
        return None
    match e.operator:
        case "+":
            return a.add(b)
        case "-":
            return a.sub(b)
        case "*":
            return a.mul(b) if constant_value(a) is not None or constant_value(b) is not None else None
        case "/":
            c = constant_value(b)
            return None if not c else a.tdiv_q(constant(c, scope.depth))
        case "**":
            base, power = constant_value(a), constant_value(b)
            small = base is not None and power is not None and 0 <= power <= 62 and abs(base) <= 1 << 20
            return constant(base**power, scope.depth) if small and base is not None and power is not None else None
        case _:
            return None


def _intrinsic(e: x.IntrinsicCall, scope: Scope) -> isl.PwAff | None:
    if e.name in ("lbound", "ubound", "size"):
        known = scope.bound_of(e)
        return None if known is None or known == e else to_affine(known, scope)
    if e.name == "merge":
        from polystencil.polyhedral.conditions import to_sets

        t, f, mask = (a for a in e.arguments[:3])
        if t is None or f is None or mask is None:
            return None
        where, a, b = to_sets(mask, scope), to_affine(t, scope), to_affine(f, scope)
        if a is None or b is None or not where.exact:
            return None
        return a.intersect_domain(where.may).union_add(b.intersect_domain(where.may.complement()))
    if e.name not in ("min", "max", "abs", "mod", "modulo", "dim"):
        return None
    parts = [to_affine(a, scope) for a in e.arguments if a is not None]
    if any(p is None for p in parts):
        return None
    return _of_affine(e.name, [p for p in parts if p is not None], scope)


def _of_affine(name: str, parts: list[isl.PwAff], scope: Scope) -> isl.PwAff | None:
    first, depth = parts[0], scope.depth
    match name:
        case "min" | "max":
            for p in parts[1:]:
                first = first.min(p) if name == "min" else first.max(p)
            return first
        case "abs":
            return first.max(first.neg())
        case "dim":
            return first.sub(parts[1]).max(constant(0, depth))
        case _:
            divisor = constant_value(parts[1])
            if not divisor:
                return _wrapped(name, first, parts[1], scope)
            if name == "mod":  # the sign of the dividend, whatever that of the divisor
                return first.tdiv_r(constant(abs(divisor), depth))
            if divisor > 0:
                return first.mod_val(isl.Val(divisor))
            return first.neg().mod_val(isl.Val(-divisor)).neg()


WRAPS = 2  # how often a subscript may wrap around a parametric length


def _wrapped(name: str, value: isl.PwAff, length: isl.PwAff, scope: Scope) -> isl.PwAff | None:
    """mod or modulo by a parametric length, where the iterations that get here wrap around at most twice.

    On k*length <= value < (k + 1)*length it is value - k*length. Outside of these pieces the function is set to 0,
    which nothing sees: every iteration that gets here lies in a piece.
    """
    reached = scope.reached()
    if reached is None:
        return None
    zero = constant(0, scope.depth)
    positive = length.gt_set(zero)
    out = None
    covered = isl.Set.empty(positive.get_space())
    for k in range(-WRAPS, WRAPS + 1):
        low, high = length.scale_val(isl.Val(k)), length.scale_val(isl.Val(k + 1))
        if name == "mod" and k < 0:  # the sign of the dividend: -|k|*length - length < value <= -|k|*length
            low, high = length.scale_val(isl.Val(k)), length.scale_val(isl.Val(k + 1))
            points = value.gt_set(low).intersect(value.le_set(high)).intersect(value.lt_set(zero))
            piece = value.sub(high)
        else:
            points = value.ge_set(low).intersect(value.lt_set(high))
            piece = value.sub(low)
        points = points.intersect(positive)
        covered = covered.union(points)
        part = piece.intersect_domain(points)
        out = part if out is None else out.union_add(part)
    if out is None or not reached.is_subset(covered):
        return None
    return out.union_add(zero.intersect_domain(covered.complement())).coalesce()
