"""if, select case, select type, block, associate, where, forall."""

from __future__ import annotations

from tree_sitter import Node

from polystencil.frontend.constructs import Construct
from polystencil.frontend.context import Context, first, named, text_of
from polystencil.frontend.conversion import convert
from polystencil.frontend.declarations import Specification, finish, read_declarations
from polystencil.frontend.entities import Variable
from polystencil.frontend.expressions import describe, lower_scalar, lower_value
from polystencil.frontend.labels import Item, jump, lower_items
from polystencil.frontend.scopes import Scope
from polystencil.frontend.statements import items_of, lower_body, lower_statement, register
from polystencil.frontend.type_specs import read_type, type_named
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Dimension, Symbol
from polystencil.ir.types import Intrinsic, Record, Type
from polystencil.ir.typing import rank_of, type_of


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


# --- if -----------------------------------------------------------------------------------------------------------


def _condition(ctx: Context, node: Node) -> x.Expression:
    inner = named(node)[0] if node.type == "parenthesized_expression" else node
    return lower_scalar(ctx, inner, "logical", "a condition")


def _if(ctx: Context, item: Item) -> None:
    node = item.node
    condition_node = first(node, "parenthesized_expression")
    assert condition_node is not None
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
    branches = [s.Branch(_condition(ctx, condition_node), lower_body(ctx, children[at + 1 :]), ctx.span(condition_node))]
    otherwise: s.Body = ()
    for child in children:
        if child.type == "elseif_clause":
            inner = first(child, "parenthesized_expression")
            assert inner is not None
            start = next(k for k, c in enumerate(child.children) if c.type == "then")
            branches.append(s.Branch(_condition(ctx, inner), lower_body(ctx, child.children[start + 1 :]), ctx.span(inner)))
        elif child.type == "else_clause":
            otherwise = lower_body(ctx, child.children)
    close_construct(ctx, construct, s.If(tuple(branches), otherwise, span=span))


def _arithmetic_if(ctx: Context, item: Item) -> None:
    node = item.node
    condition_node = first(node, "parenthesized_expression")
    assert condition_node is not None
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


# --- select case --------------------------------------------------------------------------------------------------


def _select_case(ctx: Context, item: Item) -> None:
    node = item.node
    selector_node = first(node, "selector")
    assert selector_node is not None
    selector = lower_value(ctx, named(selector_node)[0])
    t = type_of(selector)
    if not isinstance(t, Intrinsic) or t.base not in ("integer", "logical", "character") or rank_of(selector):
        raise ctx.error(selector_node, f"select case needs a scalar integer, logical or text, this is {describe(selector)}")
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
    from polystencil.frontend.expressions import constant

    e = lower_scalar(ctx, node, t.base, "a case value")
    if constant(ctx, e) is None:
        raise ctx.error(node, "a case value must be a constant")
    return convert(e, type_of(e), t)


# --- select type ----------------------------------------------------------------------------------------------------


def _select_type(ctx: Context, item: Item) -> None:
    node = item.node
    selector_node = first(node, "selector")
    assert selector_node is not None
    inner = named(selector_node)[0]
    if inner.type == "pointer_association_statement":
        name_node, value_node = named(inner)
        name = text_of(name_node)
    else:
        if inner.type != "identifier":
            raise ctx.error(inner, "select type of an expression needs a name: select type (name => expression)")
        name, value_node = text_of(inner), inner
    selector = lower_value(ctx, value_node)
    t = type_of(selector)
    if not isinstance(t, Record) or not t.polymorphic:
        raise ctx.error(value_node, f"select type needs a class object, this is {describe(selector)}")
    construct = open_construct(ctx, "select", node)
    guards: list[s.TypeGuard] = []
    default: s.Body = ()
    default_variable: Symbol | None = None
    for child in node.children:
        if child.type != "type_statement":
            continue
        scope = Scope(f"{ctx.scope.unit().id}.{ctx.scope.fresh('guard')}", "construct", ctx.scope)
        words = text_of(child.children[0])
        type_node = child.child_by_field_name("type")
        exact = words == "type"
        guard_type: Type = t
        if type_node is not None:
            guard_type = read_type(ctx, type_node) if type_node.type == "intrinsic_type" else Record(
                type_named(ctx, type_node).id, not exact
            )
        variable = Variable(f"{scope.id}.{name}", name, guard_type, span=ctx.span(child.children[0]))
        if rank_of(selector):
            variable.shape = tuple(Dimension(x.Literal(1, Intrinsic("integer", 4)), None, True) for _ in range(rank_of(selector)))
        scope.names[name] = variable
        scope.registry[variable.id] = variable
        body = lower_body(ctx, (c for c in child.children if type_node is None or c.id != type_node.id), scope)
        if type_node is None:
            default, default_variable = body, variable.symbol()
        else:
            guards.append(s.TypeGuard(guard_type, exact, variable.symbol(), body, ctx.span(child.children[0])))
    statement = s.SelectType(selector, tuple(guards), default, default_variable, span=ctx.span(node))
    close_construct(ctx, construct, statement)


# --- block --------------------------------------------------------------------------------------------------------


def _block(ctx: Context, item: Item) -> None:
    node = item.node
    unit = ctx.scope.unit()
    scope = Scope(f"{unit.id}.{ctx.scope.fresh('block')}", "block", ctx.scope)
    inner = ctx.inner(scope)
    specification = Specification(inner)
    executable = read_declarations(specification, node.children)
    if specification.commons or specification.equivalences:
        raise ctx.unsupported((specification.commons + specification.equivalences)[0], "common or equivalence in a block")
    finish(specification, executable)
    ctx.reader.block_specification(unit, specification)
    construct = open_construct(ctx, "block", node)
    body = lower_items(inner, items_of(inner, node.children))
    symbols = tuple(v.symbol() for v in scope.order)
    close_construct(ctx, construct, s.Block(symbols, body, construct.target, span=ctx.span(node)))


# --- where and forall -----------------------------------------------------------------------------------------------


def _where(ctx: Context, item: Item) -> None:
    node = item.node
    mask_node = first(node, "parenthesized_expression")
    assert mask_node is not None
    clauses = [s.WhereClause(_mask(ctx, mask_node), _where_body(ctx, node, mask_node), ctx.span(mask_node))]
    for child in node.children:
        if child.type == "elsewhere_clause":
            inner = first(child, "parenthesized_expression")
            mask = None if inner is None else _mask(ctx, inner)
            clauses.append(s.WhereClause(mask, _where_body(ctx, child, inner), ctx.span(child)))
    ctx.out.append(s.Where(tuple(clauses), span=ctx.span(node)))


def _mask(ctx: Context, node: Node) -> x.Expression:
    mask = lower_value(ctx, named(node)[0])
    t = type_of(mask)
    if not isinstance(t, Intrinsic) or t.base != "logical" or rank_of(mask) == 0:
        raise ctx.error(node, f"the mask of where must be a logical array, this is {describe(mask)}")
    return mask


def _where_body(ctx: Context, node: Node, mask: Node | None) -> s.Body:
    children = node.children
    start = 0 if mask is None else next(k for k, c in enumerate(children) if c.id == mask.id) + 1
    body = lower_items(ctx, items_of(ctx, children[start:]))
    for statement in body:
        if not isinstance(statement, (s.Assign, s.Where)):
            if isinstance(statement, s.Call):
                raise ctx.unsupported(node, "a defined assignment in where", "use merge or a loop")
            raise ctx.error(node, "where holds assignments only")
    return body


def _forall(ctx: Context, item: Item) -> None:
    node = item.node
    unit = ctx.scope.unit()
    scope = Scope(f"{unit.id}.{ctx.scope.fresh('forall')}", "construct", ctx.scope)
    controls = [c for c in node.children if c.type == "triplet_spec"]
    from polystencil.frontend.loops import read_index

    indices = []
    for control in controls:
        parts = named(control)
        indices.append(read_index(ctx, scope, parts[0], parts[1:], None))
        unit.order.append(scope.names[text_of(parts[0])])  # type: ignore[arg-type]  # just declared
    inner = ctx.inner(scope)
    close = next(k for k, c in enumerate(node.children) if c.type == ")")
    mask_node = next((c for c in node.children[:close] if c.type in ("logical_expression", "relational_expression")), None)
    mask = None if mask_node is None else lower_scalar(inner, mask_node, "logical", "the mask of forall")
    body = lower_items(inner, items_of(inner, node.children[close + 1 :]))
    ctx.out.append(s.Forall(tuple(indices), mask, body, span=ctx.span(node)))


register("if_statement", _if)
register("arithmetic_if_statement", _arithmetic_if)
register("select_case_statement", _select_case)
register("select_type_statement", _select_type)
register("block_construct", _block)
register("where_statement", _where)
register("forall_statement", _forall)
__all__ = ["lower_statement"]
