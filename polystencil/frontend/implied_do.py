"""Implied do loops in array constructors, data statements and input/output lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.assignability import as_index
from polystencil.frontend.context import named, text_of
from polystencil.frontend.entities import Alias, Variable
from polystencil.frontend.lowering import lower_scalar, lower_value, register
from polystencil.frontend.names import index_variable
from polystencil.frontend.scopes import Scope
from polystencil.frontend.type_specs import read_type
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic, Type
from polystencil.ir.typing import type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


def index_type(ctx: Context, node: Node, declared: Type | None) -> Intrinsic:
    """The type of an index that belongs to its construct: that of the type-spec, else that of the outer name."""
    name = text_of(node)
    t = declared
    if t is None:
        outer = ctx.scope.lookup(name)
        if isinstance(outer, Variable):
            t = outer.full_type
        elif isinstance(outer, Alias):
            t = type_of(outer.expression)
        else:
            t = ctx.scope.implicit_type(name)
        if t is None:
            raise ctx.error(
                node,
                f"index '{name}' is not declared",
                ctx.scope.similar(name) or f"declare it, or write (integer :: {name} = ...)",
            )
    if not isinstance(t, Intrinsic) or t.base != "integer":
        raise ctx.error(node, f"the index '{name}' must be an integer")
    return t


def implied_variable(ctx: Context, node: Node, declared: Type | None) -> tuple[Context, x.Ref]:
    """The variable of an implied do in an array constructor, and the place that sees it."""
    name = text_of(node)
    t = index_type(ctx, node, declared)
    unit = ctx.scope.unit()
    scope = Scope(f"{unit.id}.{ctx.scope.fresh('ac')}", "construct", ctx.scope)
    variable = Variable(f"{scope.id}.{name}", name, t, span=ctx.span(node))
    scope.names[name] = variable
    scope.registry[variable.id] = variable
    unit.order.append(variable)
    return ctx.inner(scope), x.Ref(variable.id, t)


def lower_implied_do(ctx: Context, node: Node, own: bool = False) -> x.Expression:
    """`(items, i = a, b, c)`. In an array constructor (`own`) the variable is one of its own, as in Fortran."""

    control = named(node)[-1]
    type_node = node.child_by_field_name("type")
    parts = named(control)
    declared = None if type_node is None else read_type(ctx, type_node)
    inner = ctx
    if own:
        inner, variable = implied_variable(ctx, parts[0], declared)
    else:
        variable = index_variable(ctx, parts[0])
    bounds = [
        as_index(ctx, p, lower_scalar(ctx, p, "integer", "an implied do bound"), variable.type) for p in parts[1:]
    ]
    items = [n for n in named(node)[:-1] if type_node is None or n.id != type_node.id]
    values = tuple(
        lower_implied_do(inner, n, own) if n.type == "implied_do_loop_expression" else lower_value(inner, n)
        for n in items
    )
    return x.ImpliedDo(values, variable, bounds[0], bounds[1], bounds[2] if len(bounds) > 2 else None)


register("implied_do_loop_expression", lower_implied_do)
