"""Which procedure a generic name means for given arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.arguments import Mismatch, match, matched, read_actuals
from polystencil.frontend.entities import Generic, Variable
from polystencil.frontend.function_calls import function_call
from polystencil.frontend.intrinsic_names import FUNCTIONS
from polystencil.frontend.intrinsics import intrinsic_function
from polystencil.frontend.lowering import describe
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.structure_constructors import structure
from polystencil.ir import expressions as x

if TYPE_CHECKING:
    from polystencil.frontend.arguments import Actual
    from polystencil.frontend.context import Context


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
                raise (
                    ctx.error(generic.node, f"'{specific}' in generic '{generic.name}' is no procedure")
                    if (generic.node is not None)
                    else Mismatch(specific)
                )
            yield found
        elif isinstance(specific, ProcedureUnit):
            yield specific


def choose(
    ctx: Context, generic: Generic, actuals: list[Actual]
) -> tuple[ProcedureUnit, tuple[x.Expression | None, ...]] | None:
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


def resolve_function(ctx: Context, node: Node, generic: Generic, arguments: Node) -> x.Expression:
    """`generic(arguments)`"""

    if generic.type is not None and not generic.specifics:
        return structure(ctx, node, generic.type, arguments)
    actuals = read_actuals(ctx, arguments)
    chosen = choose(ctx, generic, actuals)
    if chosen is not None:
        return function_call(ctx, node, *chosen)
    if generic.type is not None:
        return structure(ctx, node, generic.type, arguments)
    if generic.name in FUNCTIONS:
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
