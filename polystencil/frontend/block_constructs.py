"""block: a scope of its own with its declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polystencil.frontend.constructs import close_construct, open_construct
from polystencil.frontend.declarations import read_declarations
from polystencil.frontend.finishing import finish
from polystencil.frontend.labels import items_of, lower_items
from polystencil.frontend.scopes import Scope
from polystencil.frontend.specification import Specification
from polystencil.frontend.statement_lists import register_statement
from polystencil.ir import statements as s

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.labels import Item


def _block(ctx: Context, item: Item) -> None:
    node = item.node
    unit = ctx.scope.unit()
    scope = Scope(f"{unit.id}.{ctx.scope.fresh('block')}", "block", ctx.scope)
    inner = ctx.inner(scope)
    specification = Specification(inner)
    read_declarations(specification, node.children)
    if specification.commons or specification.equivalences:
        raise ctx.unsupported(
            (specification.commons + specification.equivalences)[0], "common or equivalence in a block"
        )
    finish(specification)
    ctx.reader.block_specification(unit, specification)
    construct = open_construct(ctx, "block", node)
    body = lower_items(inner, items_of(inner, node.children))
    symbols = tuple(v.symbol() for v in scope.order)
    close_construct(ctx, construct, s.Block(symbols, body, construct.target, span=ctx.span(node)))


register_statement("block_construct", _block)
