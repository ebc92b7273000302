"""`type_name(values)`"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.arguments import read_actuals
from polystencil.frontend.assignability import assign_convert
from polystencil.ir import expressions as x
from polystencil.ir.types import Record
from polystencil.ir.typing import rank_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.type_entities import TypeEntity


def structure(ctx: Context, node: Node, entity: TypeEntity, arguments: Node) -> x.Expression:
    """`type_name(values)`"""
    if entity.abstract:
        raise ctx.error(node, f"type {entity.name} is abstract, it has no values")
    components = list(entity.components())
    names = [c.name for c in components]
    slots: list[x.Expression | None] = [None] * len(components)
    for k, actual in enumerate(read_actuals(ctx, arguments)):
        if actual.keyword:
            if actual.keyword not in names:
                raise ctx.error(
                    actual.node,
                    f"type {entity.name} has no component '{actual.keyword}'",
                    f"its components are {', '.join(names)}",
                )
            k = names.index(actual.keyword)
        if k >= len(components):
            raise ctx.error(actual.node, f"type {entity.name} has {len(components)} components")
        target = components[k]
        value = actual.value
        if not isinstance(value, (x.Null, x.ProcedureRef)):
            value = assign_convert(ctx, actual.node, value, target.full_type)
            if rank_of(value) not in (0, target.rank):
                raise ctx.error(
                    actual.node, f"component '{target.name}' has rank {target.rank}, the value {rank_of(value)}"
                )
        slots[k] = value
    for slot, target in zip(slots, components, strict=True):
        if slot is None and target.initial is None and not target.attributes & {"allocatable", "pointer"}:
            raise ctx.error(node, f"component '{target.name}' of {entity.name} has no default, give its value")
    return x.StructureConstructor(Record(entity.id), tuple(slots))
