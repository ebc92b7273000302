"""allocate, deallocate, nullify."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.components import pointer_attributes
from polystencil.frontend.context import field_of, named, text_of
from polystencil.frontend.lowering import describe, lower_scalar, lower_value
from polystencil.frontend.statement_lists import register_statement
from polystencil.frontend.type_specs import read_type, type_named
from polystencil.frontend.writable import lower_variable
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.types import Record, Type
from polystencil.ir.typing import rank_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.labels import Item


def _options(ctx: Context, node: Node, allowed: tuple[str, ...]) -> dict[str, x.Expression]:
    out: dict[str, x.Expression] = {}
    for child in node.children:
        if child.type != "keyword_argument":
            continue
        name_node, value_node = field_of(child, "name"), field_of(child, "value")
        name = text_of(name_node)
        if name not in allowed:
            raise ctx.error(
                name_node, f"{node.children[0].type} has no option '{name}'", f"its options are {', '.join(allowed)}"
            )
        if name in out:
            raise ctx.error(name_node, f"the option '{name}' is given twice")
        out[name] = lower_variable(ctx, value_node) if name in ("stat", "errmsg") else lower_value(ctx, value_node)
    return out


def _allocate(ctx: Context, item: Item) -> None:
    node = item.node
    declared: Type | None = None
    for child in node.children_by_field_name("type"):
        if child.type == "intrinsic_type":
            declared = read_type(ctx, child)
        elif child.type == "identifier":
            declared = Record(type_named(ctx, child).id)
    options = _options(ctx, node, ("source", "mold", "stat", "errmsg"))
    allocations = [_allocation(ctx, child) for child in node.children_by_field_name("allocation")]
    source = options.get("source", options.get("mold"))
    for allocation, child in zip(allocations, node.children_by_field_name("allocation"), strict=True):
        rank = rank_of(allocation.object)
        if rank and not allocation.bounds and (source is None or rank_of(source) != rank):
            raise ctx.error(child, f"'{text_of(child)}' needs bounds", f"its rank is {rank}")
    ctx.out.append(
        s.Allocate(
            tuple(allocations),
            options.get("source"),
            options.get("mold"),
            declared,
            options.get("stat"),
            options.get("errmsg"),
            span=ctx.span(node),
        )
    )


def _allocation(ctx: Context, node: Node) -> s.Allocation:
    if node.type == "coarray_allocation":
        raise ctx.unsupported(node, "a coarray", "polystencil runs one image; drop the [ ]")
    target = node
    bounds: list[tuple[x.Expression | None, x.Expression]] = []
    if node.type == "sized_allocation":
        target, size = named(node)[0], named(node)[-1]
        for part in named(size):
            if part.type == "extent_specifier":
                ends = [lower_scalar(ctx, c, "integer", "a bound") for c in named(part)]
                if len(ends) != 2:
                    raise ctx.error(part, "a bound is written upper or lower:upper")
                bounds.append((ends[0], ends[1]))
            else:
                bounds.append((None, lower_scalar(ctx, part, "integer", "a bound")))
    e = lower_variable(ctx, target, "allocate")
    attributes = pointer_attributes(ctx, e)
    if not attributes & {"allocatable", "pointer"}:
        raise ctx.error(target, f"'{text_of(target)}' is neither allocatable nor a pointer")
    own = e.rank if isinstance(e, (x.Ref, x.Component)) else rank_of(e)
    if bounds and len(bounds) != own:
        raise ctx.error(node, f"{len(bounds)} bounds for {describe(e)}")
    return s.Allocation(e, tuple(bounds))


def _deallocate(ctx: Context, item: Item) -> None:
    node = item.node
    options = _options(ctx, node, ("stat", "errmsg"))
    objects = []
    for child in named(node):
        if child.type == "keyword_argument":
            continue
        e = lower_variable(ctx, child, "deallocate")
        if not pointer_attributes(ctx, e) & {"allocatable", "pointer"}:
            raise ctx.error(child, f"'{text_of(child)}' is neither allocatable nor a pointer")
        objects.append(e)
    ctx.out.append(s.Deallocate(tuple(objects), options.get("stat"), options.get("errmsg"), span=ctx.span(node)))


def _nullify(ctx: Context, item: Item) -> None:
    for child in named(item.node):
        e = lower_variable(ctx, child, "nullify")
        if "pointer" not in pointer_attributes(ctx, e):
            raise ctx.error(child, f"'{text_of(child)}' is no pointer")
        ctx.out.append(s.PointerAssign(e, x.Null(), span=ctx.span(item.node)))


register_statement("allocate_statement", _allocate)


register_statement("deallocate_statement", _deallocate)


register_statement("nullify_statement", _nullify)
