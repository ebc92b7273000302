"""Names by themselves: variables, constants, procedures; implicit typing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import text_of
from polystencil.frontend.entities import (
    Alias,
    Ambiguous,
    Generic,
    IntrinsicName,
    NamelistGroup,
    StatementFunction,
    Variable,
)
from polystencil.frontend.intrinsic_names import FUNCTIONS, SPECIFIC
from polystencil.frontend.lowering import describe, register
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.type_entities import TypeEntity
from polystencil.frontend.writable import lower_variable
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.entities import Entity


def find(ctx: Context, node: Node, name: str) -> Entity:
    """What `name` means at this place; undeclared names become variables where implicit typing allows it."""
    found = ctx.scope.lookup(name)
    if found is not None:
        if isinstance(found, Ambiguous):
            raise ctx.error(
                node,
                f"'{name}' comes from several modules: {', '.join(found.modules)}",
                "rename one of them or use only: lists",
            )
        return found
    if name in FUNCTIONS or name in SPECIFIC:
        return IntrinsicName(name)
    return implicit_variable(ctx, node, name)


def implicit_variable(ctx: Context, node: Node, name: str) -> Variable:
    """A variable that nothing declares, by implicit typing."""
    t = ctx.scope.implicit_type(name)
    if t is None:
        hint = ctx.scope.similar(name) or "declare it"
        raise ctx.error(node, f"'{name}' is not declared", hint)
    unit = ctx.scope.unit()
    variable = Variable(f"{unit.id}.{name}", name, t, span=ctx.span(node))
    if unit.save_all:
        variable.attributes.add("save")
    return unit.declare(variable)


def lower_identifier(ctx: Context, node: Node) -> x.Expression:
    """A name by itself."""
    name = text_of(node)
    entity = find(ctx, node, name)
    if isinstance(entity, Variable):
        if "external" in entity.attributes and "dummy" not in entity.attributes:
            unit = ctx.reader.externals.get(name)
            if unit is not None:
                return x.ProcedureRef(unit.id)
        return entity.reference()
    if isinstance(entity, Alias):
        return entity.expression
    if isinstance(entity, ProcedureUnit):
        return x.ProcedureRef(entity.id)
    if isinstance(entity, IntrinsicName) and entity.name.startswith("ieee_"):
        raise ctx.error(node, f"'{name}' is a procedure, a value is needed")
    if isinstance(entity, IntrinsicName):
        if ctx.scope.implicit_type(name) is not None and ctx.scope.lookup(name) is None:
            return implicit_variable(ctx, node, name).reference()
        raise ctx.unsupported(node, f"the intrinsic '{name}' as a value", "wrap it in a function of your own")
    if isinstance(entity, Generic):
        for specific in entity.specifics:
            if isinstance(specific, ProcedureUnit) and specific.name == name:
                return x.ProcedureRef(specific.id)
        raise ctx.error(node, f"generic '{name}' needs arguments to choose a procedure")
    raise ctx.error(node, f"'{name}' has no value: it is {_kind_of(entity)}")


def _kind_of(entity: Entity) -> str:
    if isinstance(entity, TypeEntity):
        return "a derived type"
    if isinstance(entity, NamelistGroup):
        return "a namelist group"
    return "a statement function" if isinstance(entity, StatementFunction) else "not a variable"


def index_variable(ctx: Context, node: Node) -> x.Ref:
    """The variable of a do loop or implied do."""
    name = text_of(node)
    e = lower_variable(ctx, node, "loop over")
    t = type_of(e)
    if not isinstance(e, x.Ref) or e.rank:
        raise ctx.error(node, "a loop index must be a scalar variable")
    if not isinstance(t, Intrinsic) or t.base not in ("integer", "real"):
        raise ctx.error(node, f"a loop index must be an integer, '{name}' is {describe(e)}")
    return e


register("identifier", lower_identifier)
