"""continue, cycle, exit, go to, return, stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import named, text_of
from polystencil.frontend.labels import jump
from polystencil.frontend.lowering import describe, lower_value
from polystencil.frontend.statement_lists import register_statement
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.labels import Item


def _keyword(ctx: Context, item: Item) -> None:
    node = item.node
    word = node.children[0].type
    span = ctx.span(node)
    name_node = next((c for c in node.children if c.type == "identifier"), None)
    name = "" if name_node is None else text_of(name_node)
    if word == "continue":
        return
    if word == "return":
        if any(c.kind == "parallel" for c in ctx.constructs):
            raise ctx.error(node, "return cannot leave a do concurrent loop", "use cycle, or a plain do loop")
        if len(named(node)):
            raise ctx.unsupported(node, "an alternate return", "return a status and branch on it")
        if ctx.scope.unit().kind == "program":
            ctx.out.append(s.Stop(span=span))
            return
        ctx.out.append(s.Return(span=span))
        return
    if word == "cycle":
        construct = _find_construct(ctx, node, name, True)
        ctx.out.append(s.Cycle(construct, span=span))
        return
    if word == "exit":
        ctx.out.append(s.Exit(_find_construct(ctx, node, name, False), span=span))
        return
    _go_to(ctx, node)


def _find_construct(ctx: Context, node: Node, name: str, cycle: bool) -> str:
    for construct in reversed(ctx.constructs):
        loop = construct.kind in ("loop", "parallel")
        if construct.kind == "jump":
            continue
        if (name and construct.name == name) or (not name and loop):
            if cycle and not loop:
                raise ctx.error(node, f"cycle needs a loop, '{name}' is none")
            if construct.kind == "parallel" and not cycle:
                raise ctx.error(node, "exit cannot leave a do concurrent loop", "use a plain do loop")
            return construct.use(ctx)
        if construct.kind == "parallel":
            raise ctx.error(node, f"{'cycle' if cycle else 'exit'} cannot leave a do concurrent loop")
    what = f"the construct '{name}'" if name else "a loop"
    raise ctx.error(node, f"{'cycle' if cycle else 'exit'} is not inside {what}")


def _go_to(ctx: Context, node: Node) -> None:
    labels = [c for c in node.children if c.type == "statement_label_reference"]
    others = [c for c in named(node) if c.type != "statement_label_reference"]
    if not others:
        ctx.out.append(jump(ctx, node, text_of(labels[0])))
        return
    first_label = next(k for k, c in enumerate(node.children) if c.type == "statement_label_reference")
    if any(c.id == others[0].id for c in node.children[:first_label]):
        raise ctx.unsupported(node, "an assigned go to", "use select case")
    selector = lower_value(ctx, others[0])
    t = type_of(selector)
    if not isinstance(t, Intrinsic) or t.base != "integer":
        raise ctx.error(others[0], f"a computed go to needs an integer, this is {describe(selector)}")
    cases = []
    for k, label in enumerate(labels, 1):
        value = x.Literal(k, t)
        cases.append(s.Case((s.CaseRange(value, value),), (jump(ctx, label, text_of(label)),), ctx.span(label)))
    ctx.out.append(s.SelectCase(selector, tuple(cases), span=ctx.span(node)))


def _stop(ctx: Context, item: Item) -> None:
    node = item.node
    error = node.children[0].type == "error"
    parts = named(node)
    quiet: x.Expression | None = None
    code: x.Expression | None = None
    after_quiet = False
    for child in node.children:
        if child.type == "quiet":
            after_quiet = True
        elif child.is_named and child.type != "comment":
            if after_quiet:
                quiet = lower_value(ctx, child)
            else:
                code = lower_value(ctx, child)
                t = type_of(code)
                if not isinstance(t, Intrinsic) or t.base not in ("integer", "character") or rank_of(code):
                    raise ctx.error(child, f"a stop code is an integer or text, this is {describe(code)}")
    del parts
    ctx.out.append(s.Stop(code, error, quiet, span=ctx.span(node)))


def _no_statement(ctx: Context, item: Item) -> None:
    raise ctx.error(item.node, "this is no statement", "to call a subroutine write call name(...)")


register_statement("keyword_statement", _keyword)


register_statement("stop_statement", _stop)


register_statement("call_expression", _no_statement)
