"""select type: each guard sees the selector as a variable of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polystencil.frontend.constructs import close_construct, open_construct
from polystencil.frontend.context import child_of, named, text_of
from polystencil.frontend.entities import Variable
from polystencil.frontend.lowering import describe, lower_value
from polystencil.frontend.scopes import Scope
from polystencil.frontend.statement_lists import lower_body, register_statement
from polystencil.frontend.type_specs import read_type, type_named
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Dimension, Symbol
from polystencil.ir.types import Intrinsic, Record, Type
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.labels import Item


def _select_type(ctx: Context, item: Item) -> None:
    node = item.node
    selector_node = child_of(node, "selector")
    inner = named(selector_node)[0]
    if inner.type == "pointer_association_statement":
        name_node, value_node = named(inner)
        name = text_of(name_node)
    else:
        if inner.type != "identifier":
            raise ctx.error(inner, "select type of an expression needs a name: select type (name => expression)")
        name, value_node = text_of(inner), inner
    selector = lower_value(ctx, value_node)
    t = type_of(selector)
    if not isinstance(t, Record) or not t.polymorphic:
        raise ctx.error(value_node, f"select type needs a class object, this is {describe(selector)}")
    construct = open_construct(ctx, "select", node)
    guards: list[s.TypeGuard] = []
    default: s.Body = ()
    default_variable: Symbol | None = None
    for child in node.children:
        if child.type != "type_statement":
            continue
        scope = Scope(f"{ctx.scope.unit().id}.{ctx.scope.fresh('guard')}", "construct", ctx.scope)
        words = text_of(child.children[0])
        type_node = child.child_by_field_name("type")
        exact = words == "type"
        guard_type: Type = t
        if type_node is not None:
            guard_type = (
                read_type(ctx, type_node)
                if type_node.type == "intrinsic_type"
                else Record(type_named(ctx, type_node).id, not exact)
            )
        variable = Variable(f"{scope.id}.{name}", name, guard_type, span=ctx.span(child.children[0]))
        if rank_of(selector):
            variable.shape = tuple(
                Dimension(x.Literal(1, Intrinsic("integer", 4)), None, True) for _ in range(rank_of(selector))
            )
        scope.names[name] = variable
        scope.registry[variable.id] = variable
        body = lower_body(ctx, (c for c in child.children if type_node is None or c.id != type_node.id), scope)
        if type_node is None:
            default, default_variable = body, variable.symbol()
        else:
            guards.append(s.TypeGuard(guard_type, exact, variable.symbol(), body, ctx.span(child.children[0])))
    statement = s.SelectType(selector, tuple(guards), default, default_variable, span=ctx.span(node))
    close_construct(ctx, construct, statement)


register_statement("select_type_statement", _select_type)
