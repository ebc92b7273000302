"""Components of derived types, parts of complex numbers, inquiries with %."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import named, text_of
from polystencil.frontend.lowering import describe, lower_value, register
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic, Record, Type
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


def lower_member(ctx: Context, node: Node) -> x.Expression:
    """`base%name`: a component, the parent part of an extended type, or an inquiry (%re, %kind, ...)."""
    parts = named(node)
    return component(ctx, node, lower_value(ctx, parts[0]), text_of(parts[-1]))


def component(ctx: Context, node: Node, base: x.Expression, name: str, subscripted: bool = False) -> x.Expression:
    """A component of a lowered object."""
    t = type_of(base)
    if not isinstance(t, Record):
        return _part(ctx, node, base, t, name)
    entity = ctx.reader.types.get(t.id)
    if entity is None:
        raise ctx.error(node, f"class(*) has no component '{name}'", "use select type")
    found = entity.component(name)
    if isinstance(base, x.Convert):
        base = base.operand
    if found is not None:
        if found.rank and rank_of(base) and not subscripted:
            raise ctx.error(node, f"component '{name}' and the object before it both have a rank")
        if name in entity.private_components and entity.id.rsplit(".", 1)[0] not in {s.id for s in ctx.scope.chain()}:
            raise ctx.error(node, f"component '{name}' of type {entity.name} is private")
        return x.Component(base, name, found.full_type, found.rank)
    ancestor = entity.ancestor(name)
    if ancestor is not None:
        return x.Convert(base, Record(ancestor.id))
    if entity.binding(name) is not None or entity.generic(name):
        raise ctx.error(node, f"'{name}' is a type-bound procedure, call it with parentheses")
    known = {v.name for v in entity.components()}

    close = difflib.get_close_matches(name, known, 1, 0.6)
    hint = f"did you mean '{close[0]}'?" if close else f"its components are {', '.join(sorted(known))}" if known else ""
    raise ctx.error(node, f"type {entity.name} has no component '{name}'", hint)


def _part(ctx: Context, node: Node, base: x.Expression, t: Type, name: str) -> x.Expression:
    if isinstance(t, Intrinsic):
        if t.base == "complex" and name in ("re", "im"):
            real = Intrinsic("real", t.kind)
            if name == "re":
                return x.Convert(base, real)
            return x.IntrinsicCall("aimag", (base,), real, rank_of(base))
        if name == "kind":
            return x.Literal(t.kind, Intrinsic("integer", 4))
        if name == "len" and t.base == "character":
            return x.IntrinsicCall("len", (base,), Intrinsic("integer", 4))
    raise ctx.error(node, f"{describe(base)} has no component '{name}'", "only derived types have components")


def pointer_attributes(ctx: Context, e: x.Expression) -> set[str]:
    """The attributes of the variable or component that a whole-object designator names."""
    if isinstance(e, x.Ref):
        variable = ctx.reader.variable(e.id)
        return set() if variable is None else variable.attributes
    if isinstance(e, x.Component):
        t = type_of(e.base)
        entity = ctx.reader.types.get(t.id) if isinstance(t, Record) else None
        found = entity.component(e.field) if entity is not None else None
        return set() if found is None else found.attributes
    return set()


register("derived_type_member_expression", lower_member)
