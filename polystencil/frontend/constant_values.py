"""Scalar constant expressions as literals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.constants import Evaluator, NotConstantError, as_literal_value
from polystencil.frontend.lowering import lower_scalar
from polystencil.ir import expressions as x
from polystencil.ir.typing import type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


def constant(ctx: Context, e: x.Expression) -> x.Literal | None:
    """A scalar constant expression as a literal, else None."""
    if isinstance(e, x.Literal):
        return e
    if isinstance(e, x.NamedConstant):
        return x.Literal(e.value, e.type)
    try:
        value = Evaluator(ctx.reader.array_value).value(e)
    except NotConstantError:
        return None
    if getattr(value, "ndim", 0):
        return None
    return x.Literal(as_literal_value(value), type_of(e))


def folded(ctx: Context, e: x.Expression) -> x.Expression:
    """`e`, as a literal when it is a scalar constant."""
    return constant(ctx, e) or e


def constant_integer(ctx: Context, node: Node, what: str) -> int:
    """The value of a constant integer expression."""
    e = lower_scalar(ctx, node, "integer", what)
    value = constant(ctx, e)
    if value is None:
        raise ctx.error(node, f"{what} must be a constant", "only parameters and literals have a value here")
    assert isinstance(value.value, int)
    return value.value
