"""do, do while, labelled do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.assignability import as_index
from polystencil.frontend.concurrent import lower_concurrent
from polystencil.frontend.constructs import Construct, construct_name, own_name
from polystencil.frontend.context import child_of, first, named, text_of
from polystencil.frontend.labels import TRUE, Item, items_of, lower_items
from polystencil.frontend.lowering import describe, lower_scalar, lower_value
from polystencil.frontend.names import index_variable
from polystencil.frontend.statement_lists import register_statement
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


def _do_loop(ctx: Context, item: Item) -> None:
    node = item.node
    statement = child_of(node, "do_statement")
    control = [c for c in named(statement) if c.type != "statement_label_reference"]
    construct = Construct("loop", construct_name(node))
    targets: dict[str, Construct] = {}
    for child in node.children:
        if child.type == "statement_label":
            label = text_of(child).lstrip("0")
        elif child.type == "end_do_loop_statement":
            break
        else:
            label = ""
    last = _terminal(ctx, node)
    if last is not None:
        label = last.label
    if label:
        targets[label] = construct
        construct.cycles = True
    children = node.children
    if control and control[0].type == "concurrent_statement":
        construct.kind = "parallel"
        lower_concurrent(ctx, item, control[0], construct, targets, last)
        return
    body = items_of(ctx, children)
    if last is not None and last.node.id != node.id:
        body.append(last)
    _plain(ctx, item, control[0] if control else None, construct, targets, body, label)


def _terminal(ctx: Context, node: Node) -> Item | None:
    """The last statement of a labelled do; one that loops share belongs to the innermost.

    An item of the loop's own node means that there is a label and no statement to run.
    """
    end = node.children[-1]
    if end.type != "end_do_label_loop_statement":
        return None
    statement = first(node, "do_statement")
    reference = None if statement is None else statement.child_by_field_name("do_label")
    assert reference is not None
    label = text_of(reference).lstrip("0")
    last = ctx.terminals.pop(node.id, None)
    for child in named(end):
        if child.type not in ("statement_label", "do_label_virtual") and text_of(child) != "continue":
            last = child
    inner = next((c for c in reversed(node.children[:-1]) if c.is_named and c.type != "comment"), None)
    if inner is not None and inner.type == "do_loop" and first(inner.children[-1], "do_label_virtual") is not None:
        if last is not None:
            ctx.terminals[inner.id] = last
        last = None
    return Item(label, last or node)


def _plain(
    ctx: Context, item: Item, control: Node | None, construct: Construct, targets: dict[str, Construct],
    body_items: list[Item], terminal: str,
) -> None:  # fmt: skip
    span = ctx.span(item.node)
    index: x.Ref | None = None
    bounds: list[x.Expression] = []
    condition: x.Expression = TRUE
    if control is not None and control.type == "loop_control_expression":
        parts = named(control)
        index = index_variable(ctx, parts[0])
        if isinstance(index.type, Intrinsic) and index.type.base == "real":
            raise ctx.unsupported(
                parts[0], "a real loop index", "count with an integer and compute the real value from it"
            )
        if any(index.id == c.index or index.id in c.indices for c in ctx.constructs):
            raise ctx.error(parts[0], f"'{text_of(parts[0])}' is already the index of an outer loop")
        for part in parts[1:]:
            bound = lower_value(ctx, part)
            t = type_of(bound)
            if not isinstance(t, Intrinsic) or t.base != "integer" or rank_of(bound):
                raise ctx.error(part, f"a loop bound must be a scalar integer, this is {describe(bound)}")
            bounds.append(as_index(ctx, part, bound, index.type))
        if len(bounds) == 2:
            bounds.append(x.Literal(1, index.type))
        elif isinstance(bounds[2], x.Literal) and bounds[2].value == 0:
            raise ctx.error(parts[3], "the step of a loop cannot be zero")
        construct.index = index.id
    elif control is not None and control.type == "while_statement":
        inner = child_of(control, "parenthesized_expression")
        condition = lower_scalar(ctx, named(inner)[0], "logical", "a condition")
    elif control is not None:
        raise ctx.unsupported(control, f"this form of do ('{text_of(control)}')")
    ctx.constructs.append(construct)
    ctx.jumps.append(targets)
    body = lower_items(ctx, body_items, terminal)
    ctx.jumps.pop()
    ctx.constructs.pop()
    directives = tuple(d for d in item.directives if d)
    name = construct.target or own_name(ctx, construct)
    if index is not None:
        ctx.out.append(s.Do(index, bounds[0], bounds[1], bounds[2], body, name, directives, span=span))
    else:
        ctx.out.append(s.DoWhile(condition, body, name, directives, span=span))


register_statement("do_loop", _do_loop)
