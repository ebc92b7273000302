"""Statement functions: recognised in specification parts, expanded at every use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.arguments import read_actuals
from polystencil.frontend.assignability import assign_convert
from polystencil.frontend.context import named, text_of
from polystencil.frontend.entities import Alias, StatementFunction, Variable
from polystencil.frontend.lowering import lower_value
from polystencil.frontend.scopes import Scope
from polystencil.ir import expressions as x

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.specification import Specification


def is_statement_function(specification: Specification, node: Node) -> bool:
    """`f(x, y) = expression` in a specification part, when `f` is no array."""
    ctx = specification.ctx
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "call_expression":
        return False
    parts = named(left)
    if len(parts) != 2 or parts[0].type != "identifier" or any(a.type != "identifier" for a in named(parts[1])):
        return False
    name = text_of(parts[0])
    found = ctx.scope.lookup(name)
    if found is not None and not isinstance(found, Variable):
        return False
    if isinstance(found, Variable) and (
        found.rank
        or ctx.scope.names.get(name) is not found
        or "result" in found.attributes
        or "pointer" in found.attributes
    ):
        return False
    if found is None and ctx.scope.implicit_type(name) is None:
        return False
    t = found.type if isinstance(found, Variable) and found.type is not None else ctx.scope.implicit_type(name)
    if isinstance(found, Variable):
        ctx.scope.order.remove(found)
    assert t is not None
    dummies = tuple(text_of(a) for a in named(parts[1]))
    ctx.scope.names[name] = StatementFunction(name, dummies, right, ctx.scope, t)
    ctx.skipped.add(node.id)
    return True


def expand_statement_function(ctx: Context, node: Node, function: StatementFunction, arguments: Node) -> x.Expression:
    """The expression of a statement function with the arguments in place of its dummies."""

    actuals = read_actuals(ctx, arguments)
    if len(actuals) != len(function.dummies):
        raise ctx.error(node, f"{function.name} takes {len(function.dummies)} arguments, {len(actuals)} are given")
    scope = Scope(function.scope.id, "construct", function.scope)
    for name, actual in zip(function.dummies, actuals, strict=True):
        declared = function.scope.names.get(name)
        t = declared.full_type if isinstance(declared, Variable) else function.scope.implicit_type(name)
        if t is None:
            raise ctx.error(function.node, f"the type of '{name}' is not declared")
        value = assign_convert(ctx, actual.node, actual.value, t)
        simple = isinstance(
            value, (x.Ref, x.Literal, x.NamedConstant, x.Element, x.Component, x.Paren, x.FunctionCall, x.IntrinsicCall)
        )
        scope.names[name] = Alias(name, value if simple else x.Paren(value))
    inner = lower_value(ctx.inner(scope), function.node)
    value = assign_convert(ctx, node, inner, function.type)
    return value if isinstance(value, (x.Convert, x.Literal)) else x.Paren(value)
