"""Designators that a statement changes, and why one may not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import text_of
from polystencil.frontend.lowering import lower
from polystencil.ir import expressions as x
from polystencil.ir.types import Record
from polystencil.ir.typing import type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.entities import Variable


def is_variable(e: x.Expression) -> bool:
    """Whether `e` names storage."""
    if isinstance(e, x.Convert) and isinstance(e.type, Record):
        return is_variable(e.operand)
    return isinstance(e, (x.Ref, x.Element, x.Section, x.Component, x.Substring))


def root_of(e: x.Expression) -> x.Expression:
    """The Ref (or other expression) at the bottom of a designator."""
    while isinstance(e, (x.Element, x.Section, x.Component, x.Substring)) or (
        isinstance(e, x.Convert) and isinstance(e.type, Record)
    ):
        e = e.operand if isinstance(e, x.Convert) else e.base
    return e


def lower_variable(ctx: Context, node: Node, what: str = "assign to") -> x.Expression:
    """A designator that may be written."""
    e = lower(ctx, node)
    if isinstance(e, x.Convert) and node.type == "derived_type_member_expression" and not isinstance(e.type, Record):
        raise ctx.unsupported(
            node, "writing a part (%re, %im) of a complex variable", "assign cmplx(...) to the variable"
        )
    if not is_variable(e):
        if isinstance(e, x.NamedConstant):
            raise ctx.error(node, f"cannot {what} '{text_of(node)}': it is a parameter")
        raise ctx.error(node, f"cannot {what} '{text_of(node)[:40]}': it is not a variable")
    root = root_of(e)
    if isinstance(root, x.Ref):
        variable = ctx.reader.variable(root.id)
        if variable is not None:
            check_writable(ctx, node, e, variable, what)
    return e


def check_writable(ctx: Context, node: Node, e: x.Expression, variable: Variable, what: str) -> None:
    """SourceError when the source may not change this variable."""
    if "parameter" in variable.attributes:
        raise ctx.error(node, f"cannot {what} '{variable.name}': it is a parameter")
    if isinstance(e, x.Ref) and any(e.id == c.index or e.id in c.indices for c in ctx.constructs):
        raise ctx.error(node, f"cannot {what} '{variable.name}': it is the index of a loop around this statement")
    if variable.intent == "in" and "pointer" not in variable.attributes and not _through_pointer(ctx, e):
        raise ctx.error(node, f"cannot {what} '{variable.name}': it is a dummy argument with intent(in)")
    if "protected" in variable.attributes:
        module = variable.id.rsplit(".", 1)[0]
        if all(s.id != module for s in ctx.scope.chain()):
            raise ctx.error(node, f"cannot {what} '{variable.name}': it is protected in module {module}")


def _through_pointer(ctx: Context, e: x.Expression) -> bool:
    while not isinstance(e, x.Ref):
        if isinstance(e, x.Component):
            t = type_of(e.base)
            entity = ctx.reader.types.get(t.id) if isinstance(t, Record) else None
            found = entity.component(e.field) if entity is not None else None
            if found is not None and "pointer" in found.attributes:
                return True
        if isinstance(e, (x.Element, x.Section, x.Component, x.Substring)):
            e = e.base
        elif isinstance(e, x.Convert):
            e = e.operand
        else:
            return False
    return False
