"""do concurrent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.assignability import as_index
from polystencil.frontend.constructs import own_name
from polystencil.frontend.context import child_of, named, text_of
from polystencil.frontend.entities import Variable
from polystencil.frontend.implied_do import index_type
from polystencil.frontend.labels import items_of, lower_items
from polystencil.frontend.locality import Locality, check_default_none
from polystencil.frontend.lowering import lower_scalar
from polystencil.frontend.scopes import Scope
from polystencil.frontend.type_specs import read_type
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.types import Type

if TYPE_CHECKING:
    from polystencil.frontend.constructs import Construct
    from polystencil.frontend.context import Context
    from polystencil.frontend.labels import Item


def read_index(ctx: Context, scope: Scope, name_node: Node, bounds: list[Node], declared: Type | None) -> s.LoopIndex:
    """One `i = lower:upper:step`; the index is a variable of the construct."""
    name = text_of(name_node)
    t = index_type(ctx, name_node, declared)
    if name in scope.names:
        raise ctx.error(name_node, f"index '{name}' stands twice in the header")
    values = []
    for node in bounds:
        value = lower_scalar(ctx, node, "integer", "a loop bound")
        values.append(as_index(ctx, node, value, t))
    if len(values) == 2:
        values.append(x.Literal(1, t))
    elif isinstance(values[2], x.Literal) and values[2].value == 0:
        raise ctx.error(bounds[2], "the step of a loop cannot be zero")
    variable = Variable(f"{scope.id}.{name}", name, t, span=ctx.span(name_node))
    scope.names[name] = variable
    scope.registry[variable.id] = variable
    return s.LoopIndex(x.Ref(variable.id, t), values[0], values[1], values[2])


def lower_concurrent(
    ctx: Context, item: Item, statement: Node, construct: Construct, targets: dict[str, Construct], last: Item | None
) -> None:
    header = child_of(statement, "concurrent_header")
    unit = ctx.scope.unit()
    scope = Scope(f"{unit.id}.{ctx.scope.fresh('dc')}", "construct", ctx.scope)
    type_node = header.child_by_field_name("type")
    declared = None if type_node is None else read_type(ctx, type_node)
    indices = []
    mask_node: Node | None = None
    for child in header.children:
        if child.type == "concurrent_control":
            parts = named(child)
            indices.append(read_index(ctx, scope, parts[0], parts[1:], declared))
        elif child.type == "concurrent_mask":
            mask_node = child
    index_variables = [v for v in scope.names.values() if isinstance(v, Variable)]
    inner = ctx.inner(scope)
    mask = None
    if mask_node is not None:
        mask = lower_scalar(inner, named(mask_node)[0], "logical", "the mask of do concurrent")
    locality = Locality(ctx, statement, scope)
    construct.indices = tuple(i.ref.id for i in indices)
    ctx.constructs.append(construct)
    ctx.jumps.append(targets)
    items = items_of(inner, item.node.children)
    if last is not None and last.node.id != item.node.id:
        items.append(last)
    body = lower_items(inner, items, "" if last is None else last.label)
    ctx.jumps.pop()
    ctx.constructs.pop()
    loop = s.ParallelLoop(
        tuple(indices), mask, (*(v.symbol() for v in index_variables), *locality.locals), tuple(locality.reductions),
        body, "do concurrent", frozenset(locality.init), frozenset(locality.shared), locality.default_none,
        construct.target or own_name(ctx, construct), tuple(d for d in item.directives if d), span=ctx.span(item.node),
    )  # fmt: skip
    if locality.default_none:
        check_default_none(ctx, item.node, loop)
    ctx.out.append(loop)
