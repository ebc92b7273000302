"""Open constructs of the body that is being lowered: what exit, cycle and labels can leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import first, text_of
from polystencil.ir import statements as s

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


@dataclass(eq=False)
class Construct:
    """A loop or another construct. `name` is the source's; `target` the name in the IR, made when it is needed."""

    kind: str  # loop, parallel, block, if, select, associate, jump
    name: str = ""
    index: str = ""  # id of the loop variable, which the body may not change
    target: str = ""
    cycles: bool = False  # a jump to it is a Cycle, not an Exit
    indices: tuple[str, ...] = ()

    def use(self, ctx: Context) -> str:
        """The IR name; from now on the construct must carry it."""
        if not self.target:
            self.target = fresh_name(
                ctx, self.name or {"loop": "loop_1", "parallel": "loop_1"}.get(self.kind, "jump_1")
            )
        return self.target


def fresh_name(ctx: Context, stem: str) -> str:
    """A construct name that this procedure does not use yet."""
    name, k = stem, 1
    base = stem.rsplit("_", 1)[0] if stem.endswith("_1") else stem
    while name in ctx.construct_names:
        k += 1
        name = f"{base}_{k}"
    ctx.construct_names.add(name)
    return name


def own_name(ctx: Context, construct: Construct) -> str:
    return construct.use(ctx) if construct.name else ""


def construct_name(node: Node) -> str:
    """The name in front of a construct."""
    start = first(node, "block_label_start_expression")
    return "" if start is None else text_of(start.children[0])


def open_construct(ctx: Context, kind: str, node: Node) -> Construct:
    """Enter a construct; a label in front of its end becomes a way to leave it."""
    construct = Construct(kind, construct_name(node))
    ctx.constructs.append(construct)
    targets: dict[str, Construct] = {}
    children = node.children
    for k, child in enumerate(children):
        if child.type == "statement_label" and k + 1 < len(children) and children[k + 1].type.startswith("end_"):
            targets[text_of(child).lstrip("0")] = construct
    ctx.jumps.append(targets)
    return construct


def close_construct(ctx: Context, construct: Construct, statement: s.Statement) -> None:
    """Leave a construct; it becomes a named block when something exits it."""
    ctx.constructs.pop()
    ctx.jumps.pop()
    if construct.target and not isinstance(statement, s.Block):
        statement = s.Block((), (statement,), construct.target, span=statement.span)
    ctx.out.append(statement)
