"""Function references by name: user procedures, generics, intrinsics, dummy procedures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.arguments import matched, read_actuals
from polystencil.frontend.entities import Ambiguous, Generic, IntrinsicName, StatementFunction
from polystencil.frontend.function_calls import function_call
from polystencil.frontend.generics import resolve_function
from polystencil.frontend.intrinsic_names import FUNCTIONS, SPECIFIC, SUBROUTINES, UNSUPPORTED
from polystencil.frontend.intrinsics import intrinsic_function
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.statement_functions import expand_statement_function
from polystencil.frontend.structure_constructors import structure
from polystencil.frontend.type_entities import TypeEntity
from polystencil.ir import expressions as x
from polystencil.ir.types import ProcedureType
from polystencil.ir.typing import type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.entities import Entity, Variable


def function_reference(
    ctx: Context, node: Node, base: Node, name: str, entity: Entity | None, arguments: Node
) -> x.Expression:
    """`name(arguments)` where `name` is no variable."""

    if isinstance(entity, ProcedureUnit):
        return function_call(ctx, node, entity, matched(ctx, node, entity, read_actuals(ctx, arguments)))
    if isinstance(entity, Generic):
        return resolve_function(ctx, node, entity, arguments)
    if isinstance(entity, TypeEntity):
        return structure(ctx, node, entity, arguments)
    if isinstance(entity, StatementFunction):
        return expand_statement_function(ctx, node, entity, arguments)
    if isinstance(entity, Ambiguous):
        raise ctx.error(base, f"'{name}' comes from several modules: {', '.join(entity.modules)}")
    if isinstance(entity, IntrinsicName) or (entity is None and (name in FUNCTIONS or name in SPECIFIC)):
        real_name = entity.name if isinstance(entity, IntrinsicName) else name
        return intrinsic_function(ctx, node, real_name, read_actuals(ctx, arguments))
    if entity is None:
        unit = ctx.reader.externals.get(name)
        t = ctx.scope.implicit_type(name)
        if unit is not None and unit.kind == "function" and t is not None:
            return function_call(ctx, node, unit, matched(ctx, node, unit, read_actuals(ctx, arguments)))
        if name in SUBROUTINES:
            raise ctx.error(base, f"'{name}' is a subroutine", f"write call {name}(...)")
        if name in UNSUPPORTED:
            raise ctx.unsupported(base, f"the intrinsic function {name}")
        if unit is not None and t is None:
            raise ctx.error(
                base, f"the type of function '{name}' is not declared", "declare it: external, or use a module"
            )
        raise ctx.error(
            base,
            f"'{name}' is neither an array nor a known function",
            ctx.scope.similar(name) or "declare it, or give the file that defines it",
        )
    raise ctx.error(base, f"'{name}' cannot be referenced with arguments")


def external_function(ctx: Context, node: Node, base: Node, variable: Variable, arguments: Node) -> x.Expression | None:
    """A reference to an external function (or an intrinsic) of which only the type is declared."""

    name = variable.name
    if "dummy" in variable.attributes:
        variable.attributes.add("external")
        variable.retype(ProcedureType(None, variable.full_type))
        return procedure_variable_call(ctx, node, variable, arguments)
    unit = ctx.reader.externals.get(name)
    if unit is not None and "intrinsic" not in variable.attributes:
        _forget(ctx, variable)
        return function_call(ctx, node, unit, matched(ctx, node, unit, read_actuals(ctx, arguments)))
    if name in FUNCTIONS or name in SPECIFIC:
        _forget(ctx, variable)
        return intrinsic_function(ctx, node, name, read_actuals(ctx, arguments))
    if "external" in variable.attributes:
        raise ctx.error(base, f"no source of external function '{name}' is given", "give the file that defines it")
    return None


def _forget(ctx: Context, variable: Variable) -> None:
    for scope in ctx.scope.chain():
        if variable in scope.order:
            scope.order.remove(variable)


def procedure_variable_call(ctx: Context, node: Node, variable: Variable, arguments: Node | None) -> x.Expression:
    """A call through a dummy procedure or procedure pointer."""
    t = variable.full_type
    if isinstance(t, ProcedureType) and t.interface is None and t.result is None:
        t = ProcedureType(None, ctx.reader.result_types.get(variable.id))
        variable.retype(t)
    return through(ctx, node, x.Ref(variable.id, t), arguments)


def through(ctx: Context, node: Node, target: x.Expression, arguments: Node | None) -> x.Expression:
    """A function call through a procedure-typed designator."""
    t = type_of(target)
    actuals = read_actuals(ctx, arguments)
    unit = ctx.reader.interface_of(t)
    if unit is not None:
        return function_call(ctx, node, unit, matched(ctx, node, unit, actuals), target)
    result = t.result if isinstance(t, ProcedureType) else None
    if result is None:
        raise ctx.unsupported(
            node, "a function without an interface whose type is unknown", "give it an interface block"
        )
    return x.FunctionCall(target, tuple(a.value for a in actuals), result)
