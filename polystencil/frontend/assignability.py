"""Which value can be assigned to which type, with the conversion made explicit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.conversion import convert, is_numeric
from polystencil.frontend.lowering import describe, describe_type
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic, Record, Type
from polystencil.ir.typing import type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


def as_index(ctx: Context, node: Node, e: x.Expression, t: Type) -> x.Expression:
    """`e` in the type of a loop index."""
    if not is_numeric(type_of(e)):
        raise ctx.error(node, f"a loop bound must be a number, this is {describe(e)}")
    return convert(e, type_of(e), t)


def assign_convert(ctx: Context, node: Node, e: x.Expression, target: Type) -> x.Expression:
    """`e` converted as by intrinsic assignment to a variable of type `target`."""
    source = type_of(e)
    if isinstance(e, x.Boz):
        return boz_value(ctx, node, e, target)
    if is_numeric(source) and is_numeric(target):
        return convert(e, source, target)
    if isinstance(source, Intrinsic) and isinstance(target, Intrinsic) and source.base == target.base:
        return convert(e, source, target) if source.base == "logical" else e
    if isinstance(source, Record) and isinstance(target, Record):
        if source.id == target.id or ctx.reader.extends(source.id, target.id) or "*" in (source.id, target.id):
            return e
        if target.polymorphic and ctx.reader.extends(target.id, source.id):
            return e
    raise ctx.error(node, f"{describe(e)} cannot be assigned to {describe_type(target)}")


def boz_value(ctx: Context, node: Node, e: x.Boz, target: Type) -> x.Expression:
    """A BOZ constant as the bits of an integer."""
    if isinstance(target, Intrinsic) and target.base == "integer":
        bits = 8 * target.kind
        if e.value >> bits:
            raise ctx.error(node, f"{e.text} has more bits than integer({target.kind})")
        value = e.value - (1 << bits) if e.value >> (bits - 1) else e.value
        return x.Literal(value, target)
    raise ctx.error(node, f"{e.text} needs int() or real() around it here")
