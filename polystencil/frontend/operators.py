"""Operators: numeric, relational, logical, concatenation, and the ones a program defines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import field_of, named, text_of
from polystencil.frontend.conversion import common_type, convert, is_numeric
from polystencil.frontend.lowering import describe, lower_value, register
from polystencil.frontend.operators_defined import defined_operation
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


_RELATIONS = {".lt.": "<", ".gt.": ">", ".le.": "<=", ".ge.": ">=", ".eq.": "==", ".ne.": "/="}


_BINARY_NODES = frozenset(
    {"math_expression", "relational_expression", "logical_expression", "concatenation_expression"}
)


def _operator_text(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return text_of(operator) if operator is not None else ""


def lower_binary(ctx: Context, node: Node) -> x.Expression:
    """`left operator right` of any kind, `.not.` included."""
    left_node = node.child_by_field_name("left")
    if left_node is None:
        return lower_unary(ctx, node)
    operator = _operator_text(node)
    right_node = field_of(node, "right")
    if operator == "**" and left_node.type == "math_expression" and _operator_text(left_node) == "**":
        return _power_chain(ctx, node)
    left, right = lower_value(ctx, left_node), lower_value(ctx, right_node)
    return binary(ctx, node, _RELATIONS.get(operator, operator), left, right)


def _power_chain(ctx: Context, node: Node) -> x.Expression:
    """The grammar reads a**b**c from the left; Fortran reads it from the right."""
    operands: list[Node] = []
    current: Node = node
    while current.type == "math_expression" and _operator_text(current) == "**":
        right, left = field_of(current, "right"), field_of(current, "left")
        operands.append(right)
        current = left
    operands.append(current)
    values = [lower_value(ctx, n) for n in operands]  # the rightmost first
    out = values[0]
    for base in values[1:]:
        out = binary(ctx, node, "**", base, out)
    return out


def binary(ctx: Context, node: Node, operator: str, left: x.Expression, right: x.Expression) -> x.Expression:
    """A typed binary operation, or the call of the procedure that defines it."""
    a, b = type_of(left), type_of(right)
    if isinstance(a, Intrinsic) and isinstance(b, Intrinsic):
        out = _intrinsic_binary(operator, left, right, a, b)
        if out is not None:
            _conform(ctx, node, left, right)
            return out

    call = defined_operation(ctx, node, operator, (left, right))
    if call is not None:
        return call
    if isinstance(left, x.Boz) or isinstance(right, x.Boz):
        raise ctx.error(node, "a binary, octal or hexadecimal constant cannot be an operand", "write int(z'ff')")
    raise ctx.error(node, f"operator {operator} cannot join {describe(left)} and {describe(right)}")


def _conform(ctx: Context, node: Node, left: x.Expression, right: x.Expression) -> None:
    a, b = rank_of(left), rank_of(right)
    if a and b and a != b:
        raise ctx.error(node, f"operands have different ranks, {a} and {b}")


def _intrinsic_binary(
    operator: str, left: x.Expression, right: x.Expression, a: Intrinsic, b: Intrinsic
) -> x.Expression | None:
    if isinstance(left, x.Boz) or isinstance(right, x.Boz):
        return None
    if operator in ("+", "-", "*", "/"):
        if not (is_numeric(a) and is_numeric(b)):
            return None
        t = common_type(a, b)
        return x.Binary(operator, convert(left, a, t), convert(right, b, t))
    if operator == "**":
        if not (is_numeric(a) and is_numeric(b)):
            return None
        if b.base == "integer":
            if a.base == "integer":
                t = common_type(a, b)
                return x.Binary(operator, convert(left, a, t), right)
            return x.Binary(operator, left, right)
        t = common_type(a, b)
        return x.Binary(operator, convert(left, a, t), convert(right, b, t))
    if operator == "//":
        return x.Binary(operator, left, right) if a.base == b.base == "character" else None
    if operator in ("==", "/=", "<", "<=", ">", ">="):
        if a.base == b.base == "character":
            return x.Binary(operator, left, right)
        if not (is_numeric(a) and is_numeric(b)):
            return None
        t = common_type(a, b)
        if t.base == "complex" and operator not in ("==", "/="):
            return None
        return x.Binary(operator, convert(left, a, t), convert(right, b, t))
    if operator in (".and.", ".or.", ".eqv.", ".neqv.") and a.base == b.base == "logical":
        t = a if a.kind >= b.kind else b
        return x.Binary(operator, convert(left, a, t), convert(right, b, t))
    return None


def lower_unary(ctx: Context, node: Node) -> x.Expression:
    """-a, +a, .not. a and defined unary operators."""
    children = [c for c in node.children if c.type not in ("comment", "&")]
    operator, argument = text_of(children[0]), children[-1]
    if children[0].type == "user_defined_operator":
        return _defined_unary(ctx, node, operator, argument)
    return unary(ctx, node, operator, lower_value(ctx, argument))


def unary(ctx: Context, node: Node, operator: str, operand: x.Expression) -> x.Expression:
    """A typed unary operation, or the call of the procedure that defines it."""
    t = type_of(operand)
    if operator == ".not." and isinstance(t, Intrinsic) and t.base == "logical":
        return x.Unary(operator, operand)
    if operator in ("+", "-") and is_numeric(t) and not isinstance(operand, x.Boz):
        return x.Unary(operator, operand)

    call = defined_operation(ctx, node, operator, (operand,))
    if call is not None:
        return call
    raise ctx.error(node, f"operator {operator} cannot stand before {describe(operand)}")


def _defined_unary(ctx: Context, node: Node, operator: str, argument: Node) -> x.Expression:
    """A defined unary operator binds tightest; the grammar gives it the whole operand, so it goes to the leftmost."""
    leftmost = argument
    while leftmost.type in _BINARY_NODES:
        inner = leftmost.child_by_field_name("left")
        if inner is None:
            break
        leftmost = inner
    if leftmost.id == argument.id:
        return unary(ctx, node, operator, lower_value(ctx, argument))
    ctx.operand_hooks[leftmost.id] = lambda e: unary(ctx, node, operator, e)
    return lower_value(ctx, argument)


def lower_parenthesized(ctx: Context, node: Node) -> x.Expression:
    """(a)"""
    inner = named(node)
    if not inner:
        raise ctx.error(node, "an expression is missing between the parentheses")
    return x.Paren(lower_value(ctx, inner[0]))


def _coarray(ctx: Context, node: Node) -> x.Expression:
    raise ctx.unsupported(node, "a coarray reference", "polystencil runs one image; drop the [ ]")


def _conditional(ctx: Context, node: Node) -> x.Expression:
    raise ctx.unsupported(node, "a conditional expression", "write it as an if statement or merge()")


register("math_expression", lower_binary)


register("relational_expression", lower_binary)


register("logical_expression", lower_binary)


register("concatenation_expression", lower_binary)


register("unary_expression", lower_unary)


register("parenthesized_expression", lower_parenthesized)


register("coarray_expression", _coarray)


register("conditional_expression", _conditional)
