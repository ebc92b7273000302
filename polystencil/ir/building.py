"""Small integer and logical expressions, folded where both sides are constants."""

from __future__ import annotations

from polystencil.ir import expressions as x
from polystencil.ir.types import INTEGER, LOGICAL, Intrinsic, Type
from polystencil.ir.typing import type_of

TRUE = x.Literal(True, LOGICAL)
FALSE = x.Literal(False, LOGICAL)


def integer(value: int, type: Type = INTEGER) -> x.Literal:
    """An integer constant."""
    return x.Literal(value, type)


def value_of(e: x.Expression) -> int | None:
    """The value of an integer constant."""
    ok = isinstance(e, (x.Literal, x.NamedConstant)) and isinstance(e.value, int) and not isinstance(e.value, bool)
    return e.value if ok else None  # type: ignore[attr-defined]  # checked above


def add_constant(e: x.Expression, c: int) -> x.Expression:
    """e + c, with constants that stand in e already taken together."""
    match e:
        case _ if c == 0:
            return e
        case x.Literal() if (v := value_of(e)) is not None:
            return integer(v + c, e.type)
        case x.Binary(operator="+" | "-", right=x.Literal()) if (v := value_of(e.right)) is not None:
            return add_constant(e.left, (v if e.operator == "+" else -v) + c)
        case x.Binary(operator="+", left=x.Literal()) if (v := value_of(e.left)) is not None:
            return add_constant(e.right, v + c)
        case _:
            kind = type_of(e)
            return x.Binary("+" if c > 0 else "-", e, integer(abs(c), kind))


def plus(a: x.Expression, b: x.Expression) -> x.Expression:
    """a + b."""
    if isinstance(b, x.Literal) and (v := value_of(b)) is not None:
        return add_constant(a, v)
    if isinstance(a, x.Literal) and (v := value_of(a)) is not None:
        return add_constant(b, v)
    return x.Binary("+", a, b)


def minus(a: x.Expression, b: x.Expression) -> x.Expression:
    """a - b."""
    if isinstance(b, x.Literal) and (v := value_of(b)) is not None:
        return add_constant(a, -v)
    return integer(0, type_of(a)) if a == b else x.Binary("-", a, b)


def times(a: x.Expression, b: x.Expression) -> x.Expression:
    """a*b."""
    p, q = value_of(a), value_of(b)
    if isinstance(a, x.Literal) and isinstance(b, x.Literal) and p is not None and q is not None:
        return integer(p * q, a.type)
    if p == 1 and isinstance(a, x.Literal):
        return b
    if q == 1 and isinstance(b, x.Literal):
        return a
    return x.Binary("*", a, b)


def divided(a: x.Expression, b: x.Expression) -> x.Expression:
    """a/b, truncating."""
    return a if value_of(b) == 1 and isinstance(b, x.Literal) else x.Binary("/", a, b)


def compare(operator: str, a: x.Expression, b: x.Expression) -> x.Expression:
    """A comparison of integers."""
    return x.Binary(operator, a, b)


def all_of(*tests: x.Expression) -> x.Expression:
    """The conjunction of conditions."""
    left = [t for t in tests if t != TRUE]
    if any(t == FALSE for t in left):
        return FALSE
    if not left:
        return TRUE
    out = left[0]
    for t in left[1:]:
        out = x.Binary(".and.", out, t)
    return out


def as_kind(e: x.Expression, kind: int) -> x.Expression:
    """An integer expression in another kind."""
    t = type_of(e)
    to = Intrinsic("integer", kind)
    if t == to:
        return e
    v = value_of(e)
    return integer(v, to) if v is not None and isinstance(e, x.Literal) else x.Convert(e, to)
