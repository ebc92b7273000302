"""Integer sums as terms and a constant, so that what stands in them twice cancels: `i - 1 + l - l` is `i - 1`."""

from __future__ import annotations

from polystencil.ir import expressions as x
from polystencil.ir.building import add_constant, integer, minus, value_of
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of

Terms = dict[x.Expression, int]


def sum_of(e: x.Expression) -> tuple[Terms, int]:
    """The terms of a sum, with how often each counts, and its constant."""
    terms: Terms = {}
    constant = _collect(e, 1, terms)
    return {t: n for t, n in terms.items() if n}, constant


def _collect(e: x.Expression, sign: int, terms: Terms) -> int:
    match e:
        case x.Literal() if (v := value_of(e)) is not None:
            return sign * v
        case x.Paren() if _is_integer(e):
            return _collect(e.operand, sign, terms)
        case x.Unary(operator="+" | "-") if _is_integer(e):
            return _collect(e.operand, sign if e.operator == "+" else -sign, terms)
        case x.Binary(operator="+" | "-") if _is_integer(e):
            left = _collect(e.left, sign, terms)
            return left + _collect(e.right, sign if e.operator == "+" else -sign, terms)
        case _:
            terms[e] = terms.get(e, 0) + sign
            return 0


def _is_integer(e: x.Expression) -> bool:
    kind = type_of(e)
    return isinstance(kind, Intrinsic) and kind.base == "integer"


def from_sum(terms: Terms, constant: int, kind: Intrinsic) -> x.Expression:
    """The expression of a sum: positive terms first, the constant last."""
    out: x.Expression | None = None
    for t, n in sorted(terms.items(), key=lambda item: item[1] < 0):
        for _ in range(abs(n)):
            if out is None:
                out = t if n > 0 else x.Unary("-", t)
            else:
                out = x.Binary("+" if n > 0 else "-", out, t)
    return integer(constant, kind) if out is None else add_constant(out, constant)


def folded_sum(e: x.Expression) -> x.Expression:
    """An integer sum with its constants taken together and what cancels left out."""
    kind = type_of(e)
    if not isinstance(kind, Intrinsic) or kind.base != "integer":
        return e
    return from_sum(*sum_of(e), kind)


def minus_cancelled(a: x.Expression, b: x.Expression) -> x.Expression:
    """a - b; without the terms of b that stand in a, if there are any."""
    (of_a, c), (of_b, d) = sum_of(a), sum_of(b)
    kind = type_of(a)
    if not isinstance(kind, Intrinsic) or not any(of_a.get(t, 0) * n > 0 for t, n in of_b.items()):
        return minus(a, b)
    left = {t: of_a.get(t, 0) - of_b.get(t, 0) for t in (*of_a, *(t for t in of_b if t not in of_a))}
    return from_sum({t: n for t, n in left.items() if n}, c - d, kind)


def constant_distance(a: x.Expression, b: x.Expression) -> int | None:
    """a - b where that is the same number whatever the terms are; None otherwise."""
    (of_a, c), (of_b, d) = sum_of(a), sum_of(b)
    return c - d if of_a == of_b else None
