"""Subscripts of an associate name that stands for a section: composed with the section's own subscripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polystencil.frontend.conversion import common_type, convert
from polystencil.ir import expressions as x
from polystencil.ir.types import INTEGER, Intrinsic
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


def whole_number(value: int) -> x.Literal:
    """A default integer constant."""
    return x.Literal(value, INTEGER)


def add(a: x.Expression, b: x.Expression, sign: int = 1) -> x.Expression:
    """a + b or a - b of integers, constants folded."""
    if isinstance(a, x.Literal) and isinstance(b, x.Literal):
        return x.Literal(a.value + sign * b.value, a.type)  # type: ignore[operator]  # integers
    if isinstance(b, x.Literal) and b.value == 0:
        return a
    if isinstance(a, x.Literal) and a.value == 0 and sign == 1:
        return b
    if isinstance(b, x.Literal) and isinstance(b.value, int) and b.value < 0:
        b, sign = x.Literal(-b.value, b.type), -sign
    if isinstance(b, x.Literal) and isinstance(a, x.Binary) and a.operator in "+-" and isinstance(a.right, x.Literal):
        total = (1 if a.operator == "+" else -1) * a.right.value + sign * b.value  # type: ignore[operator]  # integer literals
        return add(a.left, x.Literal(total, b.type))
    a, b = _joined(a, b)
    return x.Binary("+" if sign == 1 else "-", a, b)


def times(a: x.Expression, b: x.Expression) -> x.Expression:
    """a * b of integers, constants folded."""
    if isinstance(a, x.Literal) and isinstance(b, x.Literal):
        return x.Literal(a.value * b.value, a.type)  # type: ignore[operator]  # integer literals
    if isinstance(b, x.Literal) and b.value == 1:
        return a
    if isinstance(a, x.Literal) and a.value == 1:
        return b
    a, b = _joined(a, b)
    return x.Binary("*", _grouped(a), _grouped(b))


def _grouped(e: x.Expression) -> x.Expression:
    return x.Paren(e) if isinstance(e, x.Binary) and e.operator in ("+", "-") else e


def _joined(a: x.Expression, b: x.Expression) -> tuple[x.Expression, x.Expression]:
    ta, tb = type_of(a), type_of(b)
    if isinstance(ta, Intrinsic) and isinstance(tb, Intrinsic) and ta.kind != tb.kind:
        t = common_type(ta, tb)
        return convert(a, ta, t), convert(b, tb, t)
    return a, b


def lower_bound(ctx: Context, base: x.Expression, dim: int) -> x.Expression:
    """The lower bound of dimension `dim` (from 0): declared constant where there is one, else lbound()."""
    if isinstance(base, x.Ref):
        variable = ctx.reader.variable(base.id)
        if variable is not None and not variable.attributes & {"allocatable", "pointer"} and variable.shape:
            lower = variable.shape[dim].lower
            if isinstance(lower, (x.Literal, x.NamedConstant)):
                return lower
    return x.IntrinsicCall("lbound", (base, whole_number(dim + 1)), INTEGER)


def upper_bound(base: x.Expression, dim: int) -> x.Expression:
    """ubound(base, dim + 1)"""
    return x.IntrinsicCall("ubound", (base, whole_number(dim + 1)), INTEGER)


def _count(lower: x.Expression, upper: x.Expression, step: x.Expression) -> x.Expression:
    extent = add(add(upper, lower, -1), step)
    if isinstance(step, x.Literal) and step.value == 1:
        return extent
    return x.Binary("/", *_joined(_grouped(extent), step))


def subscript_section(ctx: Context, section: x.Section, subscripts: tuple[x.Expression, ...]) -> x.Expression:
    """`section(subscripts)` as an element or section of the section's base."""
    given = iter(subscripts)
    out: list[x.Expression] = []
    for dim, own in enumerate(section.subscripts):
        if isinstance(own, x.Range):
            out.append(_compose(ctx, section.base, dim, own, next(given)))
        elif rank_of(own) == 1:
            out.append(_from_vector(own, next(given)))
        else:
            out.append(own)
    if any(isinstance(s, x.Range) or rank_of(s) for s in out):
        return x.Section(section.base, tuple(out))
    return x.Element(section.base, tuple(out))


def _from_vector(vector: x.Expression, index: x.Expression) -> x.Expression:
    if isinstance(index, x.Range):
        if index == x.Range(None, None, None):
            return vector
        return x.Section(vector, (index,))
    return x.Element(vector, (index,)) if rank_of(index) == 0 else x.Section(vector, (index,))


def _compose(ctx: Context, base: x.Expression, dim: int, own: x.Range, index: x.Expression) -> x.Expression:
    step = own.step or whole_number(1)
    lower = own.lower or lower_bound(ctx, base, dim)
    if isinstance(index, x.Range):
        if index == x.Range(None, None, None):
            return own
        upper = own.upper or upper_bound(base, dim)
        first = index.lower or whole_number(1)
        last = index.upper or _count(lower, upper, step)
        new_step = step if index.step is None else times(index.step, step)
        return x.Range(
            _position(lower, first, step),
            _position(lower, last, step),
            None if own.step is None and index.step is None else new_step,
        )
    return _position(lower, index, step)


def _position(lower: x.Expression, index: x.Expression, step: x.Expression) -> x.Expression:
    return add(lower, times(add(index, whole_number(1), -1), step))
