"""From statement nodes to IR statements: the table of handlers, and lists of statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import Context
from polystencil.frontend.labels import Item, items_of, lower_items
from polystencil.ir import statements as s

if TYPE_CHECKING:
    from polystencil.frontend.scopes import Scope


Handler = Callable[[Context, Item], None]


_HANDLERS: dict[str, Handler] = {}


def lower_statement(ctx: Context, item: Item) -> None:
    """Append the IR of one statement to `ctx.out`."""
    if item.terminal == "end":
        return
    handler = _HANDLERS.get(item.node.type)
    if handler is None:
        raise ctx.unsupported(
            item.node, f"the statement '{item.node.type.replace('_statement', '').replace('_', ' ')}'"
        )
    handler(ctx, item)


def lower_body(ctx: Context, nodes: Iterable[Node], scope: Scope | None = None) -> s.Body:
    """The statements among `nodes`."""
    inner = ctx if scope is None else ctx.inner(scope)
    return lower_items(inner, items_of(inner, nodes))


def register_statement(kind: str, handler: Handler) -> None:
    """Add the handler of a statement node."""
    _HANDLERS[kind] = handler
