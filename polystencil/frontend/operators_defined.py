"""Operators and assignments that a program defines, by interface or type-bound generic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.arguments import Actual, Mismatch, match
from polystencil.frontend.entities import Generic
from polystencil.frontend.function_calls import function_call
from polystencil.frontend.generics import choose
from polystencil.ir import expressions as x
from polystencil.ir.types import Record
from polystencil.ir.typing import type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.procedures import ProcedureUnit


_SAME_OPERATORS = {"==": ".eq.", "/=": ".ne.", "<": ".lt.", "<=": ".le.", ">": ".gt.", ">=": ".ge."}


def defined_operation(
    ctx: Context, node: Node, operator: str, operands: tuple[x.Expression, ...]
) -> x.Expression | None:
    """The call that a defined operator means, None when nothing defines it for these operands."""
    actuals = [Actual("", o, node) for o in operands]
    for name in (operator, _SAME_OPERATORS.get(operator, operator)):
        generic = ctx.scope.lookup(f"operator({name})")
        if isinstance(generic, Generic):
            chosen = choose(ctx, generic, actuals)
            if chosen is not None:
                return function_call(ctx, node, *chosen)
        bound = _bound(ctx, f"operator({name})", actuals)
        if bound is not None:
            unit, values, target = bound
            return function_call(ctx, node, unit, values, target)
    return None


def _bound(
    ctx: Context, name: str, actuals: list[Actual]
) -> tuple[ProcedureUnit, tuple[x.Expression | None, ...], x.Expression] | None:
    """The type-bound definition of an operator or assignment."""
    for actual in actuals:
        t = type_of(actual.value)
        entity = ctx.reader.types.get(t.id) if isinstance(t, Record) else None
        if entity is None or not isinstance(t, Record):
            continue
        for candidate in entity.generic(name):
            bound = entity.binding(candidate)
            if bound is None:
                continue
            unit = bound.signature()
            unit.declare()
            try:
                values = match(ctx, unit, actuals, False)
            except Mismatch:
                continue
            if t.polymorphic and (bound.procedure() is None or entity.overridden_below(candidate)):
                return unit, values, x.BoundProcedure(actual.value, candidate, bound.pass_index())
            return unit, values, x.ProcedureRef(unit.id)
    return None


def defined_assignment(
    ctx: Context, node: Node, target: x.Expression, value: x.Expression
) -> tuple[x.Expression, tuple[x.Expression | None, ...]] | None:
    """Target procedure and arguments when `target = value` is user-defined."""
    actuals = [Actual("", target, node), Actual("", value, node)]
    generic = ctx.scope.lookup("assignment(=)")
    if isinstance(generic, Generic):
        chosen = choose(ctx, generic, actuals)
        if chosen is not None:
            return x.ProcedureRef(chosen[0].id), chosen[1]
    bound = _bound(ctx, "assignment(=)", actuals)
    return None if bound is None else (bound[2], bound[1])
