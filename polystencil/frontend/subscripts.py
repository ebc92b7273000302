"""Elements, sections and substrings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import named
from polystencil.frontend.lowering import describe, lower_scalar, lower_value
from polystencil.frontend.sections import subscript_section
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


def second_list(ctx: Context, e: x.Expression, arguments: Node) -> x.Expression:
    """`base(...)(a:b)`"""
    t = type_of(e)
    if not (isinstance(t, Intrinsic) and t.base == "character" and first_is_range(arguments)):
        raise ctx.error(arguments, "a second list in parentheses can only be a substring (a:b) of a character value")
    return _substring(ctx, e, named(arguments)[0])


def first_is_range(arguments: Node) -> bool:
    """Whether a list starts with `a:b`."""
    items = named(arguments)
    return len(items) == 1 and items[0].type == "extent_specifier"


def subscript(ctx: Context, node: Node, base: x.Expression, arguments: Node) -> x.Expression:
    """`base(arguments)` for an array or character base."""
    items = named(arguments)
    t = type_of(base)
    own_rank = base.rank if isinstance(base, x.Component) else rank_of(base)
    if isinstance(base, (x.Element, x.Substring)) or (own_rank == 0 and rank_of(base)):
        own_rank = 0
    if own_rank == 0:
        if isinstance(t, Intrinsic) and t.base == "character" and first_is_range(arguments):
            return _substring(ctx, base, items[0])
        raise ctx.error(node, f"{describe(base)} takes no subscripts")
    if len(items) != own_rank:
        raise ctx.error(arguments, f"{len(items)} subscripts for an array of rank {own_rank}")
    subscripts = tuple(_subscript(ctx, item) for item in items)
    if isinstance(base, x.Section):
        return subscript_section(ctx, base, subscripts)
    if not isinstance(base, (x.Ref, x.Component)):
        raise ctx.error(node, "only variables have elements", "assign the value to an array first")
    if any(isinstance(s, x.Range) or rank_of(s) for s in subscripts):
        return x.Section(base, subscripts)
    return x.Element(base, subscripts)


def _subscript(ctx: Context, item: Node) -> x.Expression:
    if item.type == "extent_specifier":
        return read_range(ctx, item)
    e = lower_value(ctx, item)
    t = type_of(e)
    if not isinstance(t, Intrinsic) or t.base != "integer" or rank_of(e) > 1:
        raise ctx.error(
            item,
            f"a subscript must be an integer, this is {describe(e)}",
            "convert it with int() or nint()" if isinstance(t, Intrinsic) and t.base == "real" else "",
        )
    return e


def read_range(ctx: Context, item: Node) -> x.Range:
    """`a:b:c` with parts left out."""
    parts: list[x.Expression | None] = [None, None, None]
    k = 0
    for child in item.children:
        if child.type == ":":
            k += 1
        elif child.is_named and child.type != "comment":
            parts[k] = lower_scalar(ctx, child, "integer", "a bound of a section")
    if isinstance(parts[2], x.Literal) and parts[2].value == 0:
        raise ctx.error(item, "the stride of a section cannot be zero")
    return x.Range(parts[0], parts[1], parts[2])


def _substring(ctx: Context, base: x.Expression, item: Node) -> x.Expression:
    bounds = read_range(ctx, item)
    if bounds.step is not None:
        raise ctx.error(item, "a substring has no stride")
    return x.Substring(base, bounds.lower, bounds.upper)
