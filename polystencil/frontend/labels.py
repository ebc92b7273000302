"""Statement lists: labelled do loops grouped, go to turned into named blocks and loops.

A jump forward leaves a block that ends before its label. A jump back is a cycle of an endless loop that starts at the
label and is left at its end. What overlaps otherwise (a jump into a loop) is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.constructs import Construct
from polystencil.frontend.context import text_of
from polystencil.frontend.declarations import SPECIFICATION_NODES
from polystencil.ir import statements as s
from polystencil.ir.expressions import Literal
from polystencil.ir.types import LOGICAL

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


_IGNORED = frozenset({
    "program_statement", "function_statement", "subroutine_statement", "module_procedure_statement",
    "internal_procedures", "end_program_statement", "end_function_statement", "end_subroutine_statement",
    "end_module_procedure_statement", "format_statement", "do_statement", "end_do_loop_statement",
    "end_do_label_loop_statement", "block_label_start_expression", "end_block_construct_statement",
    "end_associate_statement", "association_list", "end_if_statement", "elseif_clause", "else_clause",
    "block_label", "end_where_statement", "elsewhere_clause", "default", "parenthesized_expression",
    "case_value_range_list", "end_forall_statement", "triplet_spec", "entry_statement",
})  # fmt: skip


TRUE = Literal(True, LOGICAL)


@dataclass(eq=False)
class Item:
    """One statement of a list. `terminal` is "end" for a label in front of the end of the construct."""

    label: str
    node: Node
    directives: tuple[str, ...] = ()
    terminal: str = ""


def items_of(ctx: Context, nodes: Iterable[Node]) -> list[Item]:
    """The executable statements among `nodes` with their labels and directives."""
    out: list[Item] = []
    label = ""
    directives: list[str] = []
    skipped = ctx.skipped
    for node in nodes:
        if not node.is_named:
            continue
        kind = node.type
        if kind == "comment":
            text = node.text or b""
            if text[:13].lower() == b"!$polystencil":
                directives.append(text[13:].decode("utf-8", "replace").strip())
            elif text[:5].lower() in (b"!gcc$", b"!dir$") and b"unroll" in text.lower():
                directives.append("hint " + text[5:].decode("utf-8", "replace").strip())  # for another compiler
            continue
        if kind == "statement_label":
            label = text_of(node).lstrip("0") or "0"
            continue
        if kind in _IGNORED or kind in SPECIFICATION_NODES or node.id in skipped:
            label = ""
            continue
        out.append(Item(label, node, tuple(directives)))
        label = ""
        directives.clear()
    if label and out:
        # a label in front of the end of the construct: a place to jump to
        out.append(Item(label, out[-1].node, ("",)))
        out[-1].terminal = "end"
    return out


def lower_items(ctx: Context, items: list[Item], terminal: str = "") -> s.Body:
    """A statement list; `terminal` is the label of the last statement of a labelled do, reached by Cycle."""
    from polystencil.frontend.statement_lists import lower_statement

    labels = {item.label: k for k, item in enumerate(items) if item.label}
    if terminal and items and _only_ends(items[-1]):
        labels.pop(terminal, None)
    if labels:
        wanted = {label for item in items for label in references(ctx, item.node)}
        labels = {label: k for label, k in labels.items() if label in wanted}
    if labels:
        return _structured(ctx, items, labels)
    inner_ctx = ctx.inner()
    for item in items:
        lower_statement(inner_ctx, item)
    return tuple(inner_ctx.out)


def _only_ends(item: Item) -> bool:
    return item.node.type == "keyword_statement" and text_of(item.node) == "continue"


_JUMPING = frozenset({"keyword_statement", "arithmetic_if_statement"})


_LABELLED_CONTROLS = frozenset({"end", "err", "eor"})


def references(ctx: Context, node: Node) -> frozenset[str]:
    """Labels that statements inside `node` jump to."""
    known = ctx.references.get(node.id)
    if known is not None:
        return known
    found: set[str] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        kind = current.type
        if kind in _JUMPING:
            found.update(text_of(c).lstrip("0") for c in current.children if c.type == "statement_label_reference")
        elif kind in (
            "read_statement",
            "write_statement",
            "open_statement",
            "close_statement",
            "inquire_statement",
            "file_position_statement",
        ):
            for child in current.children:
                if child.type == "keyword_argument":
                    name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
                    if name is not None and value is not None and text_of(name) in _LABELLED_CONTROLS:
                        found.add(text_of(value).lstrip("0"))
        elif kind.endswith(("_statement", "_loop", "_clause", "_construct", "_case")):
            stack.extend(c for c in current.children if c.is_named)
    ctx.references[node.id] = frozenset(found)
    return ctx.references[node.id]


@dataclass(eq=False)
class _Region:
    start: int
    end: int  # exclusive
    loop: bool
    label: str


def _structured(ctx: Context, items: list[Item], labels: dict[str, int]) -> s.Body:
    regions: list[_Region] = []
    uses = [references(ctx, item.node) if item.terminal != "end" else frozenset() for item in items]
    for label, k in labels.items():
        forward = [i for i in range(k) if label in uses[i]]
        backward = [i for i in range(k, len(items)) if label in uses[i]]
        if backward:
            regions.append(_Region(k, max(backward) + 1, True, label))
        if forward:
            regions.append(_Region(min(forward), k, False, label))
    _nest(ctx, items, regions)
    regions.sort(key=lambda r: (r.start, -r.end, r.loop))
    return _emit(ctx, items, regions, 0, len(items))


def _nest(ctx: Context, items: list[Item], regions: list[_Region]) -> None:
    changed = True
    while changed:
        changed = False
        for a in regions:
            for b in regions:
                if not (a.start < b.start < a.end < b.end):
                    continue
                if not a.loop and b.loop:
                    raise ctx.unsupported(
                        items[a.start].node,
                        f"go to {a.label}, a jump into a loop made by go to {b.label},",
                        "restructure it with if and do",
                    )
                if a.loop and b.loop:
                    a.end = b.end
                else:
                    b.start = a.start
                changed = True


def _emit(ctx: Context, items: list[Item], regions: list[_Region], low: int, high: int) -> s.Body:
    from polystencil.frontend.statement_lists import lower_statement

    here = ctx.inner()
    k = low
    while k < high:
        region = next((r for r in regions if r.start == k and r.end <= high), None)
        if region is None:
            lower_statement(here, items[k])
            k += 1
            continue
        rest = [r for r in regions if r is not region]
        construct = Construct("jump", f"label_{region.label}", cycles=region.loop)
        ctx.jumps.append({region.label: construct})
        ctx.constructs.append(construct)
        body = _emit(ctx, items, rest, region.start, region.end)
        ctx.constructs.pop()
        ctx.jumps.pop()
        regions = [r for r in rest if not (region.start <= r.start and r.end <= region.end)]
        if not construct.target:
            here.out.extend(body)
        elif region.loop:
            span = ctx.span(items[region.start].node)
            whole = (*body, s.Exit(construct.target, span=span))
            here.out.append(s.DoWhile(TRUE, whole, construct.target, span=span))
        else:
            here.out.append(s.Block((), body, construct.target, span=ctx.span(items[region.start].node)))
        k = region.end
    return tuple(here.out)


def jump(ctx: Context, node: Node, label: str) -> s.Statement:
    """`go to label` as Exit or Cycle."""
    label = label.lstrip("0")
    for targets in reversed(ctx.jumps):
        construct = targets.get(label)
        if construct is not None:
            name = construct.use(ctx)
            kind = s.Cycle if construct.cycles else s.Exit
            return kind(name, span=ctx.span(node))
    raise ctx.unsupported(
        node,
        f"go to {label}, which jumps into a construct or to no statement of this procedure,",
        "jump to a statement of this or an outer statement list",
    )
