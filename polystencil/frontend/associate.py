"""associate by substitution: the selector takes the name's place.

Its subscripts are captured first where the body could change them; a selector that is a value becomes a variable of
the construct.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.constructs import close_construct, open_construct
from polystencil.frontend.context import child_of, field_of, named, text_of
from polystencil.frontend.entities import Alias, Variable
from polystencil.frontend.labels import items_of, lower_items
from polystencil.frontend.lowering import lower
from polystencil.frontend.scopes import Scope
from polystencil.frontend.statement_lists import register_statement
from polystencil.frontend.writable import is_variable
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Dimension
from polystencil.ir.traversal import child_expressions, map_children
from polystencil.ir.types import Intrinsic, NoType, ProcedureType, Type
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.labels import Item


def _associate(ctx: Context, item: Item) -> None:
    node = item.node
    unit = ctx.scope.unit()
    scope = Scope(f"{unit.id}.{ctx.scope.fresh('associate')}", "construct", ctx.scope)
    captures: list[s.Statement] = []
    names: dict[str, Alias | Variable] = {}
    list_node = child_of(node, "association_list")
    for association in named(list_node):
        name_node, value_node = field_of(association, "name"), field_of(association, "selector")
        name = text_of(name_node)
        if name in names:
            raise ctx.error(name_node, f"'{name}' stands twice in the list")
        e = lower(ctx, value_node)
        t = type_of(e)
        if isinstance(t, (ProcedureType, NoType)):
            raise ctx.error(value_node, "a variable or value is needed here")
        if is_variable(e):
            names[name] = Alias(name, _captured(ctx, node, scope, e, captures))
        elif isinstance(e, (x.Literal, x.NamedConstant)):
            names[name] = Alias(name, e, False)
        else:
            names[name] = _value(ctx, association, scope, name, e, captures)
    scope.names.update(names)
    inner = ctx.inner(scope)
    construct = open_construct(ctx, "associate", node)
    body = lower_items(inner, items_of(inner, node.children))
    symbols = tuple(v.symbol() for v in scope.order)
    if not symbols and not construct.target:
        ctx.constructs.pop()
        ctx.jumps.pop()
        ctx.out.extend(body)
        return
    close_construct(ctx, construct, s.Block(symbols, (*captures, *body), construct.target, span=ctx.span(node)))


def stored_type(t: Type, rank: int) -> tuple[Type, set[str]]:
    """Type and attributes of a variable that takes any value of a type and rank."""
    attributes = {"allocatable"} if rank else set()
    if isinstance(t, Intrinsic) and t.base == "character" and not isinstance(t.length, (x.Literal, x.NamedConstant)):
        return Intrinsic("character", 1, ":"), {"allocatable"}
    return t, attributes


def _value(ctx: Context, node: Node, scope: Scope, name: str, e: x.Expression, captures: list[s.Statement]) -> Variable:
    rank = rank_of(e)
    t, attributes = stored_type(type_of(e), rank)
    if getattr(t, "polymorphic", False):
        attributes.add("allocatable")
    variable = Variable(f"{scope.id}.{name}", name, t, attributes, span=ctx.span(node))
    if rank:
        variable.shape = tuple(Dimension(None, None) for _ in range(rank))
    scope.order.append(variable)
    scope.registry[variable.id] = variable
    captures.append(s.Assign(x.Ref(variable.id, t, rank), e, span=ctx.span(node)))
    return variable


def _captured(ctx: Context, node: Node, scope: Scope, e: x.Expression, captures: list[s.Statement]) -> x.Expression:
    """`e` with every subscript that the body could change replaced by a captured value."""

    def fixed(subscript: x.Expression | None) -> x.Expression | None:
        if subscript is None or _is_stable(ctx, subscript):
            return subscript
        if isinstance(subscript, x.Range):
            return x.Range(fixed(subscript.lower), fixed(subscript.upper), fixed(subscript.step))
        return _value(ctx, node, scope, f"at{len(scope.order) + 1}", subscript, captures).reference()

    if isinstance(e, x.Element):
        return x.Element(_captured(ctx, node, scope, e.base, captures), tuple(fixed(i) or i for i in e.indices))
    if isinstance(e, x.Section):
        return x.Section(_captured(ctx, node, scope, e.base, captures), tuple(fixed(i) or i for i in e.subscripts))
    if isinstance(e, x.Substring):
        return x.Substring(_captured(ctx, node, scope, e.base, captures), fixed(e.lower), fixed(e.upper))
    if isinstance(e, (x.Component, x.Convert)):
        return map_children(e, lambda child: _captured(ctx, node, scope, child, captures))
    return e


def _is_stable(ctx: Context, e: x.Expression) -> bool:
    """Whether nothing inside the construct can change the value: constants, indices of open loops, intent(in)."""
    if isinstance(e, (x.Literal, x.NamedConstant)):
        return True
    if isinstance(e, x.Ref):
        if any(e.id == c.index or e.id in c.indices for c in ctx.constructs):
            return True
        variable = ctx.reader.variable(e.id)
        return (
            variable is not None
            and e.rank == 0
            and variable.intent == "in"
            and not variable.attributes & {"pointer", "volatile", "target"}
        )
    if isinstance(e, (x.Range, x.Unary, x.Binary, x.Paren, x.Convert)):
        return all(_is_stable(ctx, child) for child in child_expressions(e))
    return False


register_statement("associate_statement", _associate)
