"""Which procedure a generic name, operator or assignment means for given arguments."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from polystencil.frontend import intrinsic_names
from polystencil.frontend.calls import Actual, Mismatch, function_call, match, matched, read_actuals, structure
from polystencil.frontend.context import Context
from polystencil.frontend.entities import Generic, Variable
from polystencil.frontend.expressions import describe
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.ir import expressions as x
from polystencil.ir.types import Record
from polystencil.ir.typing import type_of

_SAME_OPERATORS = {"==": ".eq.", "/=": ".ne.", "<": ".lt.", "<=": ".le.", ">": ".gt.", ">=": ".ge."}


def procedures_of_generic(ctx: Context, generic: Generic) -> Iterator[ProcedureUnit]:
    """The specific procedures; names are looked up where the interface stands."""
    for k, specific in enumerate(generic.specifics):
        if isinstance(specific, str):
            found = generic.scopes[k].lookup(specific) if k < len(generic.scopes) else ctx.scope.lookup(specific)
            if isinstance(found, Generic):
                found = next((p for p in found.specifics if isinstance(p, ProcedureUnit) and p.name == specific), None)
            if isinstance(found, Variable):
                found = ctx.reader.externals.get(specific)
            if not isinstance(found, ProcedureUnit):
                raise ctx.error(generic.node, f"'{specific}' in generic '{generic.name}' is no procedure") if (
                    generic.node is not None
                ) else Mismatch(specific)
            yield found
        elif isinstance(specific, ProcedureUnit):
            yield specific


def choose(ctx: Context, generic: Generic, actuals: list[Actual]) -> tuple[ProcedureUnit, tuple[x.Expression | None, ...]] | None:
    """The specific procedure that fits; one that is not elemental goes first."""
    fitting: list[tuple[ProcedureUnit, tuple[x.Expression | None, ...]]] = []
    for unit in procedures_of_generic(ctx, generic):
        unit.declare()
        try:
            values = match(ctx, unit, actuals, True)
        except Mismatch:
            continue
        if not unit.elemental:
            return unit, values
        fitting.append((unit, values))
    if fitting:
        return fitting[0]
    for unit in procedures_of_generic(ctx, generic):
        try:
            return unit, match(ctx, unit, actuals, False)
        except Mismatch:
            continue
    return None


def resolve_function(ctx: Context, node: Node, base: Node, generic: Generic, arguments: Node) -> x.Expression:
    """`generic(arguments)`"""
    from polystencil.frontend.intrinsics import intrinsic_function

    if generic.type is not None and not generic.specifics:
        return structure(ctx, node, generic.type, arguments)
    actuals = read_actuals(ctx, arguments)
    chosen = choose(ctx, generic, actuals)
    if chosen is not None:
        return function_call(ctx, node, *chosen)
    if generic.type is not None:
        return structure(ctx, node, generic.type, arguments)
    if generic.name in intrinsic_names.FUNCTIONS:
        return intrinsic_function(ctx, node, generic.name, actuals)
    raise no_match(ctx, node, generic, actuals)


def no_match(ctx: Context, node: Node, generic: Generic, actuals: list[Actual]) -> Exception:
    """The error that no procedure of a generic fits."""
    given = ", ".join((f"{a.keyword}=" if a.keyword else "") + describe(a.value) for a in actuals)
    names = ", ".join(u.name for u in procedures_of_generic(ctx, generic))
    only = list(procedures_of_generic(ctx, generic))
    if len(only) == 1:
        matched(ctx, node, only[0], actuals)
    return ctx.error(node, f"no procedure of generic '{generic.name}' takes ({given})", f"its procedures are {names}")


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
