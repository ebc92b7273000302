"""From a node of the tree to a typed IR expression: the table of handlers and what all of them use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from polystencil.frontend.context import text_of
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic, Record, Type
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


def lower(ctx: Context, node: Node) -> x.Expression:
    """The expression of a node."""
    handler = _HANDLERS.get(node.type)
    if handler is None:
        raise ctx.unsupported(node, f"'{node.type.replace('_', ' ')}'")
    e = handler(ctx, node)
    if ctx.operand_hooks and node.id in ctx.operand_hooks:
        hook: Any = ctx.operand_hooks.pop(node.id)
        e = hook(e)
    return e


def lower_value(ctx: Context, node: Node) -> x.Expression:
    """An expression that has a value: no procedure name, no null()."""
    e = lower(ctx, node)
    if isinstance(e, (x.ProcedureRef, x.BoundProcedure)):
        raise ctx.error(
            node, f"'{text_of(node)}' is a procedure, a value is needed", "call it with parentheses: name()"
        )
    return e


def lower_scalar(ctx: Context, node: Node, base: str, what: str) -> x.Expression:
    """A scalar of one of the intrinsic types."""
    e = lower_value(ctx, node)
    t = type_of(e)
    if not isinstance(t, Intrinsic) or t.base != base or rank_of(e):
        raise ctx.error(node, f"{what} must be a scalar {base}, this is {describe(e)}")
    return e


def describe(e: x.Expression) -> str:
    """Type and rank in words."""
    rank = rank_of(e)
    return describe_type(type_of(e)) + (f", rank {rank}" if rank else "")


def describe_type(t: Type) -> str:
    """A type as Fortran writes it."""
    if isinstance(t, Intrinsic):
        return t.base if t.base == "character" else f"{t.base}({t.kind})"
    if isinstance(t, Record):
        return f"{'class' if t.polymorphic else 'type'}({t.id.rsplit('.', 1)[-1]})"
    return "a procedure"


_HANDLERS: dict[str, Callable[[Context, Node], x.Expression]] = {}


def register(kind: str, handler: Callable[[Context, Node], x.Expression]) -> None:
    """Say which function lowers a node type."""
    _HANDLERS[kind] = handler
