"""References through an object: type-bound procedures, generics and procedure pointer components."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.arguments import Actual, Mismatch, match, matched, read_actuals
from polystencil.frontend.components import component
from polystencil.frontend.context import named, text_of
from polystencil.frontend.function_calls import function_call
from polystencil.frontend.lowering import describe, lower_value
from polystencil.ir import expressions as x
from polystencil.ir.types import ProcedureType, Record
from polystencil.ir.typing import type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.procedures import ProcedureUnit


def bound_reference(ctx: Context, node: Node, base: Node, arguments: Node | None) -> x.Expression | None:
    """`object%name(arguments)` as a function reference, None when `name` is a component with subscripts."""
    found = bound_target(ctx, node, base, arguments)
    if found is None:
        return None
    unit, target, values = found
    return function_call(ctx, node, unit, values, target)


def bound_target(
    ctx: Context, node: Node, base: Node, arguments: Node | None
) -> tuple[ProcedureUnit, x.Expression, tuple[x.Expression | None, ...]] | None:
    """Procedure, target and matched arguments of a reference through an object."""

    parts = named(base)
    name = text_of(parts[-1])
    object_ = lower_value(ctx, parts[0])
    t = type_of(object_)
    if not isinstance(t, Record):
        return None
    entity = ctx.reader.types.get(t.id)
    if entity is None:
        return None
    found = entity.component(name)
    if found is not None:
        if not isinstance(found.type, ProcedureType):
            return None
        target = component(ctx, base, object_, name)
        unit = ctx.reader.interface_of(found.full_type)
        if unit is None:
            raise ctx.unsupported(node, "a procedure pointer component without an interface")
        actuals = read_actuals(ctx, arguments)
        if "pass" in found.attributes:
            actuals.insert(0, Actual("", object_, parts[0]))
        return unit, target, matched(ctx, node, unit, actuals)
    candidates = [name] if entity.binding(name) is not None else entity.generic(name)
    if not candidates:
        return None
    actuals = read_actuals(ctx, arguments)
    reasons: list[Mismatch] = []
    for strict in (True, False) if len(candidates) > 1 else (False,):
        for candidate in candidates:
            bound = entity.binding(candidate)
            if bound is None:
                raise ctx.error(base, f"type {entity.name} has no binding '{candidate}'")
            unit = bound.signature()
            index = bound.pass_index()
            unit.declare()
            try:
                values = match(ctx, unit, _with_object(actuals, object_, parts[0], index, unit), strict)
            except Mismatch as mismatch:
                reasons.append(mismatch)
                continue
            procedure = bound.procedure()
            if t.polymorphic and (procedure is None or entity.overridden_below(candidate)):
                return unit, x.BoundProcedure(object_, candidate, index), values
            if procedure is None:
                raise ctx.error(base, f"'{candidate}' is deferred in {entity.name}")
            return procedure, x.ProcedureRef(procedure.id), values
    if len(candidates) == 1:
        raise ctx.error(reasons[0].node or node, reasons[0].reason)
    raise ctx.error(
        node,
        f"no procedure of generic '{name}' takes these arguments: " + ", ".join(describe(a.value) for a in actuals),
    )


def _with_object(
    actuals: list[Actual], object_: x.Expression, node: Node, index: int | None, unit: ProcedureUnit
) -> list[Actual]:
    if index is None:
        return actuals
    me = Actual("", object_, node)
    positional = [a for a in actuals if not a.keyword]
    if len(positional) >= index:
        return [*actuals[:index], me, *actuals[index:]]
    return [*actuals, Actual(unit.dummy_names()[index], object_, node)]
