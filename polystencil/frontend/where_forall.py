"""where and forall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.concurrent import read_index
from polystencil.frontend.context import child_of, first, named, text_of
from polystencil.frontend.labels import items_of, lower_items
from polystencil.frontend.lowering import describe, lower_scalar, lower_value
from polystencil.frontend.scopes import Scope
from polystencil.frontend.statement_lists import register_statement
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.labels import Item


def _where(ctx: Context, item: Item) -> None:
    node = item.node
    mask_node = child_of(node, "parenthesized_expression")
    clauses = [s.WhereClause(_mask(ctx, mask_node), _where_body(ctx, node, mask_node), ctx.span(mask_node))]
    for child in node.children:
        if child.type == "elsewhere_clause":
            inner = first(child, "parenthesized_expression")
            mask = None if inner is None else _mask(ctx, inner)
            clauses.append(s.WhereClause(mask, _where_body(ctx, child, inner), ctx.span(child)))
    ctx.out.append(s.Where(tuple(clauses), span=ctx.span(node)))


def _mask(ctx: Context, node: Node) -> x.Expression:
    mask = lower_value(ctx, named(node)[0])
    t = type_of(mask)
    if not isinstance(t, Intrinsic) or t.base != "logical" or rank_of(mask) == 0:
        raise ctx.error(node, f"the mask of where must be a logical array, this is {describe(mask)}")
    return mask


def _where_body(ctx: Context, node: Node, mask: Node | None) -> s.Body:
    children = node.children
    start = 0 if mask is None else next(k for k, c in enumerate(children) if c.id == mask.id) + 1
    body = lower_items(ctx, items_of(ctx, children[start:]))
    for statement in body:
        if not isinstance(statement, (s.Assign, s.Where)):
            if isinstance(statement, s.Call):
                raise ctx.unsupported(node, "a defined assignment in where", "use merge or a loop")
            raise ctx.error(node, "where holds assignments only")
    return body


def _forall(ctx: Context, item: Item) -> None:
    node = item.node
    unit = ctx.scope.unit()
    scope = Scope(f"{unit.id}.{ctx.scope.fresh('forall')}", "construct", ctx.scope)
    controls = [c for c in node.children if c.type == "triplet_spec"]

    indices = []
    for control in controls:
        parts = named(control)
        indices.append(read_index(ctx, scope, parts[0], parts[1:], None))
        unit.order.append(scope.names[text_of(parts[0])])  # type: ignore[arg-type]  # just declared
    inner = ctx.inner(scope)
    close = next(k for k, c in enumerate(node.children) if c.type == ")")
    mask_node = next(
        (c for c in node.children[:close] if c.type in ("logical_expression", "relational_expression")), None
    )
    mask = None if mask_node is None else lower_scalar(inner, mask_node, "logical", "the mask of forall")
    body = lower_items(inner, items_of(inner, node.children[close + 1 :]))
    ctx.out.append(s.Forall(tuple(indices), mask, body, span=ctx.span(node)))


register_statement("where_statement", _where)


register_statement("forall_statement", _forall)
