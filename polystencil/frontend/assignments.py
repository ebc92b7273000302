"""Assignment and pointer assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.assignability import assign_convert
from polystencil.frontend.components import pointer_attributes
from polystencil.frontend.context import field_of, named, text_of
from polystencil.frontend.lowering import describe, describe_type, lower
from polystencil.frontend.operators_defined import defined_assignment
from polystencil.frontend.statement_lists import register_statement
from polystencil.frontend.subscripts import read_range
from polystencil.frontend.writable import lower_variable
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.types import Intrinsic, NoType, ProcedureType, Record
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.labels import Item


def _assignment(ctx: Context, item: Item) -> None:
    node = item.node
    left, right = field_of(node, "left"), field_of(node, "right")
    target = lower_variable(ctx, left)
    value = lower(ctx, right)
    ctx.out.append(assign(ctx, node, right, target, value))


def assign(ctx: Context, node: Node, value_node: Node, target: x.Expression, value: x.Expression) -> s.Statement:
    """`target = value`, intrinsic or defined."""
    span = ctx.span(node)
    t = type_of(target)
    source = type_of(value)
    if isinstance(t, ProcedureType):
        raise ctx.error(node, "a procedure pointer is set with =>")
    if isinstance(source, (ProcedureType, NoType)):
        raise ctx.error(value_node, "a value is needed on the right of =", "pointers are set with =>")
    if (
        isinstance(t, Record)
        or isinstance(source, Record)
        or (isinstance(t, Intrinsic) and isinstance(source, Intrinsic) and t.base != source.base)
    ):
        defined = defined_assignment(ctx, node, target, value)
        if defined is not None:
            return s.Call(defined[0], defined[1], span=span)
    value = assign_convert(ctx, value_node, value, t)
    if rank_of(value) and rank_of(value) != rank_of(target):
        raise ctx.error(
            value_node,
            f"a value of rank {rank_of(value)} is assigned to {describe(target)}"
            + ("" if rank_of(target) else ", a scalar"),
        )
    return s.Assign(target, value, span=span)


def _pointer_assignment(ctx: Context, item: Item) -> None:
    node = item.node
    left, right = named(node)
    bounds: tuple[tuple[x.Expression, x.Expression | None], ...] = ()
    target: x.Expression | None = None
    if left.type == "call_expression":
        base, arguments = named(left)[0], named(left)[-1]
        target = lower_variable(ctx, base)

        pairs = []
        for part in named(arguments):
            if part.type != "extent_specifier":
                raise ctx.error(part, "bounds of a pointer are written lower: or lower:upper")
            range_ = read_range(ctx, part)
            if range_.lower is None or range_.step is not None:
                raise ctx.error(part, "bounds of a pointer are written lower: or lower:upper")
            pairs.append((range_.lower, range_.upper))
        bounds = tuple(pairs)
    else:
        target = lower_variable(ctx, left, "point with")
    if "pointer" not in pointer_attributes(ctx, target):
        raise ctx.error(left, f"'{text_of(left)}' is no pointer", "declare it with the attribute pointer")
    value = lower(ctx, right)
    t, source = type_of(target), type_of(value)
    if not isinstance(t, ProcedureType) and not isinstance(source, NoType):
        if isinstance(source, ProcedureType) or not _pointable(ctx, t, source):
            raise ctx.error(right, f"a pointer to {describe_type(t)} cannot point to {describe(value)}")
        remaps = bool(bounds) and bounds[0][1] is not None
        if not remaps and rank_of(value) != rank_of(target):
            raise ctx.error(
                right, f"a pointer of rank {rank_of(target)} cannot point to a target of rank {rank_of(value)}"
            )
    ctx.out.append(s.PointerAssign(target, value, bounds, span=ctx.span(node)))


def _pointable(ctx: Context, target: object, source: object) -> bool:
    if isinstance(target, Intrinsic) and isinstance(source, Intrinsic):
        return (target.base, target.kind) == (source.base, source.kind)
    if isinstance(target, Record) and isinstance(source, Record):
        return target.id in (source.id, "*") or ctx.reader.extends(source.id, target.id)
    return isinstance(target, Record) and target.id == "*"


register_statement("assignment_statement", _assignment)


register_statement("pointer_association_statement", _pointer_assignment)
