"""`base(...)`: an element, a section, a substring, a function reference or a structure constructor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.bound_calls import bound_reference
from polystencil.frontend.calls import external_function, function_reference, procedure_variable_call
from polystencil.frontend.components import component
from polystencil.frontend.context import named, text_of
from polystencil.frontend.entities import Alias, Variable
from polystencil.frontend.lowering import lower, lower_value, register
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.subscripts import first_is_range, second_list, subscript
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.entities import Entity


def lower_call(ctx: Context, node: Node) -> x.Expression:
    """`base(...)`: element, section, substring, function reference or structure constructor."""
    children = [c for c in node.children if c.is_named and c.type != "comment"]
    base, lists = children[0], children[1:]
    e = _first_list(ctx, node, base, lists[0])
    for arguments in lists[1:]:
        e = second_list(ctx, e, arguments)
    return e


def _first_list(ctx: Context, node: Node, base: Node, arguments: Node) -> x.Expression:

    if base.type == "identifier":
        name = text_of(base)
        entity: Entity | None = ctx.scope.lookup(name)
        if isinstance(entity, Variable):
            return _variable_with_list(ctx, node, base, entity, arguments)
        if isinstance(entity, Alias):
            return subscript(ctx, node, entity.expression, arguments)
        return function_reference(ctx, node, base, name, entity, arguments)
    if base.type == "derived_type_member_expression":
        bound = bound_reference(ctx, node, base, arguments)
        if bound is not None:
            return bound
        parts = named(base)
        array = component(ctx, base, lower_value(ctx, parts[0]), text_of(parts[-1]), True)
        e = subscript(ctx, node, array, arguments)
        if isinstance(e, x.Section) and isinstance(array, x.Component) and rank_of(array.base):
            raise ctx.error(node, "the object and its component both have a rank here")
        return e
    if base.type == "call_expression":
        return second_list(ctx, lower(ctx, base), arguments)
    return subscript(ctx, node, lower(ctx, base), arguments)


def _variable_with_list(ctx: Context, node: Node, base: Node, variable: Variable, arguments: Node) -> x.Expression:

    if variable.is_procedure:
        return procedure_variable_call(ctx, node, variable, arguments)
    if variable.rank or (
        isinstance(variable.type, Intrinsic) and variable.type.base == "character" and first_is_range(arguments)
    ):
        return subscript(ctx, node, variable.reference(), arguments)
    if "result" in variable.attributes and ctx.scope.unit().id == variable.id.rsplit(".", 1)[0]:
        unit = ctx.scope.unit()
        outer = unit.host.lookup(variable.name) if unit.host is not None else None
        if isinstance(outer, ProcedureUnit):
            return function_reference(ctx, node, base, variable.name, outer, arguments)
    external = external_function(ctx, node, base, variable, arguments)
    if external is not None:
        return external
    raise ctx.error(
        base, f"'{variable.name}' is a scalar, it takes no subscripts", "declare it as an array or a function"
    )


register("call_expression", lower_call)
