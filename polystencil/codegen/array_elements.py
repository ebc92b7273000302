"""From array expressions to the scalar expression of one element, so that array syntax can be printed as loops."""

from __future__ import annotations

from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir.types import INTEGER, Intrinsic
from polystencil.ir.typing import rank_of, type_of

ONE = x.Literal(1, INTEGER)
ZERO = x.Literal(0, INTEGER)

_ELEMENTAL = """
abs sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh gamma log_gamma erf
erfc hypot min max mod modulo sign dim merge aint anint nint floor ceiling iand ior ieor not shiftl shiftr
shifta ishft ishftc btest ibset ibclr ibits popcnt leadz trailz aimag imag conjg cmplx dprod int real dble
logical float sngl is_nan isnan fraction exponent scale set_exponent spacing rrspacing nearest
"""
ELEMENTAL = frozenset(_ELEMENTAL.split())


def number(value: int) -> x.Literal:
    """An integer constant."""
    return x.Literal(value, INTEGER)


def value_of(e: x.Expression) -> int | None:
    """The value of an integer expression of constants."""
    match e:
        case x.Literal() | x.NamedConstant():
            return int(e.value) if isinstance(e.value, int) and not isinstance(e.value, bool) else None
        case x.Paren():
            return value_of(e.operand)
        case x.Convert():
            t = type_of(e.operand)
            both = isinstance(t, Intrinsic) and isinstance(e.type, Intrinsic) and t.base == e.type.base == "integer"
            return value_of(e.operand) if both else None
        case x.Unary():
            inner = value_of(e.operand)
            return None if inner is None or e.operator not in "+-" else -inner if e.operator == "-" else inner
        case x.Binary() if e.operator in ("+", "-", "*", "/"):
            a, b = value_of(e.left), value_of(e.right)
            if a is None or b is None or (e.operator == "/" and b == 0):
                return None
            value = {"+": a + b, "-": a - b, "*": a * b}.get(e.operator)
            if value is None:
                value = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return value if abs(value) < 2**31 else None
        case _:
            return None


def plus(a: x.Expression, b: x.Expression) -> x.Expression:
    """a + b with constants folded."""
    va, vb = value_of(a), value_of(b)
    if va is not None and vb is not None:
        return number(va + vb)
    if vb is not None:
        return _shifted(a, vb)
    if va is not None:
        return _shifted(b, va)
    return x.Binary("+", _as_integer(a), _as_integer(b))


def minus(a: x.Expression, b: x.Expression) -> x.Expression:
    """a - b with constants folded."""
    va, vb = value_of(a), value_of(b)
    if va is not None and vb is not None:
        return number(va - vb)
    if a == b:
        return ZERO
    if vb is not None:
        return _shifted(a, -vb)
    if isinstance(a, x.Binary) and a.operator in "+-" and a.left == b and (inner := value_of(a.right)) is not None:
        return number(inner if a.operator == "+" else -inner)
    return x.Binary("-", _as_integer(a), _as_integer(b))


def _shifted(a: x.Expression, by: int) -> x.Expression:
    """a + by, joined with a constant that `a` already ends in."""
    if isinstance(a, x.Binary) and a.operator in "+-":
        inner = value_of(a.right)
        if inner is not None:
            return _shifted(a.left, by + (inner if a.operator == "+" else -inner))
    if by == 0:
        return a
    a = _as_integer(a)
    return x.Binary("+", a, number(by)) if by > 0 else x.Binary("-", a, number(-by))


def times(a: x.Expression, b: x.Expression) -> x.Expression:
    """a * b with constants folded."""
    va, vb = value_of(a), value_of(b)
    if va is not None and vb is not None:
        return number(va * vb)
    if va == 1:
        return b
    if vb == 1:
        return a
    return x.Binary("*", _as_integer(a), _as_integer(b))


def _as_integer(e: x.Expression) -> x.Expression:
    t = type_of(e)
    return e if t == INTEGER else x.Convert(e, INTEGER)


def lower_of(e: x.Expression, d: int) -> x.Expression:
    """The lower bound of dimension `d` (from 0) of a whole array."""
    return x.IntrinsicCall("lbound", (e, number(d + 1)), INTEGER)


def upper_of(e: x.Expression, d: int) -> x.Expression:
    """The upper bound of dimension `d` (from 0) of a whole array."""
    return x.IntrinsicCall("ubound", (e, number(d + 1)), INTEGER)


class Elements:
    """Takes array expressions apart; `bounds` may know constant lower and upper bounds of whole arrays."""

    def __init__(self, bounds: object = None) -> None:
        self._bounds = bounds

    def lower(self, e: x.Expression, d: int) -> x.Expression:
        known = self._bounds(e, d) if callable(self._bounds) else None
        return number(known[0]) if known is not None else lower_of(e, d)

    def upper(self, e: x.Expression, d: int) -> x.Expression:
        known = self._bounds(e, d) if callable(self._bounds) else None
        return number(known[1]) if known is not None else upper_of(e, d)

    def ranges(self, e: x.Expression) -> list[tuple[x.Expression, x.Expression, x.Expression]]:
        """First, last and step of natural positions in each dimension of an array expression."""
        match e:
            case x.Ref() | x.Component():
                if isinstance(e, x.Component) and rank_of(e.base):
                    if e.rank:
                        raise NotLaunchable("an array component of an array of records")
                    return self.ranges(e.base)
                return [(self.lower(e, d), self.upper(e, d), ONE) for d in range(rank_of(e))]
            case x.Section():
                out = []
                for d, s in enumerate(e.subscripts):
                    if isinstance(s, x.Range):
                        low = self.lower(e.base, d) if s.lower is None else s.lower
                        high = self.upper(e.base, d) if s.upper is None else s.upper
                        step = ONE if s.step is None else s.step
                        if value_of(step) is None or (value_of(step) or 0) < 0:
                            if s.lower is None or s.upper is None:
                                raise NotLaunchable("a section with a left-out bound and a step that may be negative")
                        out.append((low, high, step))
                    elif rank_of(s) == 1:
                        out += self.ranges(s)
                return out
            case x.Element() if rank_of(e):
                return self.ranges(e.base)
            case x.Unary() | x.Paren() | x.Convert():
                return self.ranges(e.operand)
            case x.Binary():
                return self.ranges(e.left if rank_of(e.left) else e.right)
            case x.IntrinsicCall() if e.name in ELEMENTAL:
                return self.ranges(next(a for a in e.arguments if a is not None and rank_of(a)))
            case x.FunctionCall():
                operands = [a for a in e.arguments if a is not None and rank_of(a)]
                if operands:
                    return self.ranges(operands[0])
                raise NotLaunchable("an array-valued function inside of a kernel")
            case _:
                raise NotLaunchable(f"{_words(e)} inside of a kernel")

    def element(self, e: x.Expression, offsets: list[x.Expression]) -> x.Expression:
        """The element of `e` that lies `offsets` (from 0) after its first one."""
        if rank_of(e) == 0:
            return e
        match e:
            case x.Ref():
                return x.Element(e, tuple(plus(o, self.lower(e, d)) for d, o in enumerate(offsets)))
            case x.Component():
                if rank_of(e.base):
                    return x.Component(self.element(e.base, offsets), e.field, e.type, e.rank)
                return x.Element(e, tuple(plus(o, self.lower(e, d)) for d, o in enumerate(offsets)))
            case x.Element():
                assert isinstance(e.base, x.Component)
                inner = x.Component(self.element(e.base.base, offsets), e.base.field, e.base.type, e.base.rank)
                return x.Element(inner, e.indices)
            case x.Section():
                return self._section_element(e, offsets)
            case x.Unary():
                return x.Unary(e.operator, self.element(e.operand, offsets))
            case x.Paren():
                return x.Paren(self.element(e.operand, offsets))
            case x.Convert():
                return x.Convert(self.element(e.operand, offsets), e.type)
            case x.Binary():
                return x.Binary(e.operator, self.element(e.left, offsets), self.element(e.right, offsets))
            case x.IntrinsicCall() if e.name in ELEMENTAL:
                return x.IntrinsicCall(e.name, self._arguments(e.arguments, offsets), e.type)
            case x.FunctionCall():
                if not any(a is not None and rank_of(a) for a in e.arguments):
                    raise NotLaunchable("an array-valued function inside of a kernel")
                return x.FunctionCall(e.target, self._arguments(e.arguments, offsets), e.type)
            case x.IntrinsicCall() if e.name == "transpose":
                return self.element(e.arguments[0], offsets[::-1])  # type: ignore[arg-type]  # always present
            case _:
                raise NotLaunchable(f"{_words(e)} inside of a kernel")

    def _arguments(
        self, arguments: tuple[x.Expression | None, ...], offsets: list[x.Expression]
    ) -> tuple[x.Expression | None, ...]:
        return tuple(None if a is None else self.element(a, offsets) for a in arguments)

    def _section_element(self, e: x.Section, offsets: list[x.Expression]) -> x.Expression:
        rest = list(offsets)
        indices: list[x.Expression] = []
        for d, s in enumerate(e.subscripts):
            if isinstance(s, x.Range):
                low = self.lower(e.base, d) if s.lower is None else s.lower
                indices.append(plus(times(rest.pop(0), s.step if s.step is not None else ONE), low))
            elif rank_of(s) == 1:
                indices.append(self.element(s, [rest.pop(0)]))
            else:
                indices.append(s)
        return x.Element(e.base, tuple(indices))


def _words(e: x.Expression) -> str:
    if isinstance(e, x.IntrinsicCall):
        return f"the array intrinsic {e.name}"
    if isinstance(e, x.ArrayConstructor):
        return "an array constructor"
    t = type_of(e)
    return f"an array expression of {t.base if isinstance(t, Intrinsic) else 'derived type'}"
