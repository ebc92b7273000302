"""if, arithmetic if, select case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.constant_values import constant
from polystencil.frontend.constructs import close_construct, open_construct
from polystencil.frontend.context import child_of, first, named, text_of
from polystencil.frontend.conversion import convert
from polystencil.frontend.entities import Variable
from polystencil.frontend.labels import items_of, jump, lower_items
from polystencil.frontend.lowering import describe, lower_scalar, lower_value
from polystencil.frontend.statement_lists import lower_body, register_statement
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.labels import Item


def _condition(ctx: Context, node: Node) -> x.Expression:
    inner = named(node)[0] if node.type == "parenthesized_expression" else node
    return lower_scalar(ctx, inner, "logical", "a condition")


def _if(ctx: Context, item: Item) -> None:
    node = item.node
    condition_node = child_of(node, "parenthesized_expression")
    span = ctx.span(node)
    children = node.children
    if first(node, "then") is None and not any(c.type == "then" for c in children):
        condition = _condition(ctx, condition_node)
        at = next(k for k, c in enumerate(children) if c.id == condition_node.id)
        body = lower_items(ctx, items_of(ctx, children[at + 1 :]))
        if not body and named(node)[-1].type != "keyword_statement":
            raise ctx.error(node, "this if has no statement")
        ctx.out.append(s.If((s.Branch(condition, body, span),), span=span))
        return
    construct = open_construct(ctx, "if", node)
    at = next(k for k, c in enumerate(children) if c.type == "then")
    branches = [
        s.Branch(_condition(ctx, condition_node), lower_body(ctx, children[at + 1 :]), ctx.span(condition_node))
    ]
    otherwise: s.Body = ()
    for child in children:
        if child.type == "elseif_clause":
            inner = child_of(child, "parenthesized_expression")
            start = next(k for k, c in enumerate(child.children) if c.type == "then")
            branches.append(
                s.Branch(_condition(ctx, inner), lower_body(ctx, child.children[start + 1 :]), ctx.span(inner))
            )
        elif child.type == "else_clause":
            otherwise = lower_body(ctx, child.children)
    close_construct(ctx, construct, s.If(tuple(branches), otherwise, span=span))


def _arithmetic_if(ctx: Context, item: Item) -> None:
    node = item.node
    condition_node = child_of(node, "parenthesized_expression")
    value = lower_value(ctx, named(condition_node)[0])
    t = type_of(value)
    if not isinstance(t, Intrinsic) or t.base not in ("integer", "real") or rank_of(value):
        raise ctx.error(condition_node, f"an arithmetic if needs a number, this is {describe(value)}")
    labels = [c for c in node.children if c.type == "statement_label_reference"]
    variable = capture(ctx, node, value, "sign")
    zero = x.Literal(0 if t.base == "integer" else 0.0, t)
    span = ctx.span(node)
    jumps = [(jump(ctx, label, text_of(label)),) for label in labels]
    branches = (
        s.Branch(x.Binary("<", variable, zero), jumps[0], span),
        s.Branch(x.Binary("==", variable, zero), jumps[1], span),
    )
    ctx.out.append(s.If(branches, jumps[2], span=span))


def capture(ctx: Context, node: Node, value: x.Expression, stem: str) -> x.Ref:
    """A new variable of the procedure that holds `value`."""
    unit = ctx.scope.unit()
    name = ctx.scope.fresh(stem + "_")
    t = type_of(value)
    variable = unit.declare(Variable(f"{unit.id}.{name}", name, t, span=ctx.span(node)))
    ref = x.Ref(variable.id, t)
    ctx.out.append(s.Assign(ref, value, span=ctx.span(node)))
    return ref


def _select_case(ctx: Context, item: Item) -> None:
    node = item.node
    selector_node = child_of(node, "selector")
    selector = lower_value(ctx, named(selector_node)[0])
    t = type_of(selector)
    if not isinstance(t, Intrinsic) or t.base not in ("integer", "logical", "character") or rank_of(selector):
        raise ctx.error(
            selector_node, f"select case needs a scalar integer, logical or text, this is {describe(selector)}"
        )
    construct = open_construct(ctx, "select", node)
    cases: list[s.Case] = []
    default: s.Body = ()
    for child in node.children:
        if child.type != "case_statement":
            continue
        body = lower_body(ctx, child.children)
        ranges = first(child, "case_value_range_list")
        if ranges is None:
            default = body
            continue
        values = tuple(_case_range(ctx, part, t) for part in named(ranges))
        cases.append(s.Case(values, body, ctx.span(child.children[0])))
    close_construct(ctx, construct, s.SelectCase(selector, tuple(cases), default, span=ctx.span(node)))


def _case_range(ctx: Context, node: Node, t: Intrinsic) -> s.CaseRange:
    if node.type != "extent_specifier":
        value = _case_value(ctx, node, t)
        return s.CaseRange(value, value)
    bounds: list[x.Expression | None] = [None, None]
    k = 0
    for child in node.children:
        if child.type == ":":
            k = 1
        elif child.is_named and child.type != "comment":
            bounds[k] = _case_value(ctx, child, t)
    return s.CaseRange(bounds[0], bounds[1])


def _case_value(ctx: Context, node: Node, t: Intrinsic) -> x.Expression:

    e = lower_scalar(ctx, node, t.base, "a case value")
    if constant(ctx, e) is None:
        raise ctx.error(node, "a case value must be a constant")
    return convert(e, type_of(e), t)


register_statement("if_statement", _if)


register_statement("arithmetic_if_statement", _arithmetic_if)


register_statement("select_case_statement", _select_case)
