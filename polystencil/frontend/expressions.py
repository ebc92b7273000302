"""From expression nodes of the tree to typed IR expressions: operators, and the way to everything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tree_sitter import Node

from polystencil.frontend import literals
from polystencil.frontend.constants import Evaluator, NotConstantError, as_literal_value
from polystencil.frontend.context import Context, named, text_of
from polystencil.frontend.conversion import common_type, convert, is_numeric, same_type
from polystencil.frontend.entities import Generic
from polystencil.ir import expressions as x
from polystencil.ir.types import INTEGER, LOGICAL, Intrinsic, Record, Type
from polystencil.ir.typing import rank_of, type_of

_RELATIONS = {".lt.": "<", ".gt.": ">", ".le.": "<=", ".ge.": ">=", ".eq.": "==", ".ne.": "/="}
_BINARY_NODES = frozenset({"math_expression", "relational_expression", "logical_expression", "concatenation_expression"})


def lower(ctx: Context, node: Node) -> x.Expression:
    """The expression of a node."""
    handler = _HANDLERS.get(node.type)
    if handler is None:
        raise ctx.unsupported(node, f"'{node.type.replace('_', ' ')}'")
    e = handler(ctx, node)
    if ctx.operand_hooks and node.id in ctx.operand_hooks:
        hook: Any = ctx.operand_hooks.pop(node.id)
        e = hook(e)
    return e


def lower_value(ctx: Context, node: Node) -> x.Expression:
    """An expression that has a value: no procedure name, no null()."""
    e = lower(ctx, node)
    if isinstance(e, (x.ProcedureRef, x.BoundProcedure)):
        raise ctx.error(node, f"'{text_of(node)}' is a procedure, a value is needed", "call it with parentheses: name()")
    return e


def lower_scalar(ctx: Context, node: Node, base: str, what: str) -> x.Expression:
    """A scalar of one of the intrinsic types."""
    e = lower_value(ctx, node)
    t = type_of(e)
    if not isinstance(t, Intrinsic) or t.base != base or rank_of(e):
        raise ctx.error(node, f"{what} must be a scalar {base}, this is {describe(e)}")
    return e


def describe(e: x.Expression) -> str:
    """Type and rank in words."""
    rank = rank_of(e)
    return describe_type(type_of(e)) + (f", rank {rank}" if rank else "")


def describe_type(t: Type) -> str:
    """A type as Fortran writes it."""
    if isinstance(t, Intrinsic):
        return t.base if t.base == "character" else f"{t.base}({t.kind})"
    if isinstance(t, Record):
        return f"{'class' if t.polymorphic else 'type'}({t.id.rsplit('.', 1)[-1]})"
    return "a procedure"


# --- constants -------------------------------------------------------------------------------------------------


def constant(ctx: Context, e: x.Expression) -> x.Literal | None:
    """A scalar constant expression as a literal, else None."""
    if isinstance(e, x.Literal):
        return e
    if isinstance(e, x.NamedConstant):
        return x.Literal(e.value, e.type)
    try:
        value = Evaluator(ctx.reader.array_value).value(e)
    except NotConstantError:
        return None
    if getattr(value, "ndim", 0):
        return None
    return x.Literal(as_literal_value(value), type_of(e))


def folded(ctx: Context, e: x.Expression) -> x.Expression:
    """`e`, as a literal when it is a scalar constant."""
    return constant(ctx, e) or e


def constant_integer(ctx: Context, node: Node, what: str) -> int:
    """The value of a constant integer expression."""
    e = lower_scalar(ctx, node, "integer", what)
    value = constant(ctx, e)
    if value is None:
        raise ctx.error(node, f"{what} must be a constant", "only parameters and literals have a value here")
    assert isinstance(value.value, int)
    return value.value


# --- operators -------------------------------------------------------------------------------------------------


def _operator_text(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return text_of(operator) if operator is not None else ""


def lower_binary(ctx: Context, node: Node) -> x.Expression:
    """`left operator right` of any kind, `.not.` included."""
    left_node = node.child_by_field_name("left")
    if left_node is None:
        return lower_unary(ctx, node)
    operator = _operator_text(node)
    right_node = node.child_by_field_name("right")
    assert right_node is not None
    if operator == "**" and left_node.type == "math_expression" and _operator_text(left_node) == "**":
        return _power_chain(ctx, node)
    left, right = lower_value(ctx, left_node), lower_value(ctx, right_node)
    return binary(ctx, node, _RELATIONS.get(operator, operator), left, right)


def _power_chain(ctx: Context, node: Node) -> x.Expression:
    """The grammar reads a**b**c from the left; Fortran reads it from the right."""
    operands: list[Node] = []
    current: Node = node
    while current.type == "math_expression" and _operator_text(current) == "**":
        right, left = current.child_by_field_name("right"), current.child_by_field_name("left")
        assert right is not None and left is not None
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
    from polystencil.frontend.generics import defined_operation

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
    from polystencil.frontend.generics import defined_operation

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


def lower_implied_do(ctx: Context, node: Node, own: bool = False) -> x.Expression:
    """`(items, i = a, b, c)`. In an array constructor (`own`) the variable is one of its own, as in Fortran."""
    from polystencil.frontend.designators import index_variable
    from polystencil.frontend.loops import implied_variable
    from polystencil.frontend.type_specs import read_type

    control = named(node)[-1]
    type_node = node.child_by_field_name("type")
    parts = named(control)
    declared = None if type_node is None else read_type(ctx, type_node)
    inner = ctx
    if own:
        inner, variable = implied_variable(ctx, parts[0], declared)
    else:
        variable = index_variable(ctx, parts[0])
    bounds = [as_index(ctx, p, lower_scalar(ctx, p, "integer", "an implied do bound"), variable.type) for p in parts[1:]]
    items = [n for n in named(node)[:-1] if type_node is None or n.id != type_node.id]
    values = tuple(
        lower_implied_do(inner, n, own) if n.type == "implied_do_loop_expression" else lower_value(inner, n) for n in items
    )
    return x.ImpliedDo(values, variable, bounds[0], bounds[1], bounds[2] if len(bounds) > 2 else None)


def as_index(ctx: Context, node: Node, e: x.Expression, t: Type) -> x.Expression:
    """`e` in the type of a loop index."""
    if not is_numeric(type_of(e)):
        raise ctx.error(node, f"a loop bound must be a number, this is {describe(e)}")
    return convert(e, type_of(e), t)


def assign_convert(ctx: Context, node: Node, e: x.Expression, target: Type) -> x.Expression:
    """`e` converted as by intrinsic assignment to a variable of type `target`."""
    source = type_of(e)
    if isinstance(e, x.Boz):
        return boz_value(ctx, node, e, target)
    if is_numeric(source) and is_numeric(target):
        return convert(e, source, target)
    if isinstance(source, Intrinsic) and isinstance(target, Intrinsic) and source.base == target.base:
        return convert(e, source, target) if source.base == "logical" else e
    if isinstance(source, Record) and isinstance(target, Record):
        if source.id == target.id or ctx.reader.extends(source.id, target.id) or "*" in (source.id, target.id):
            return e
        if target.polymorphic and ctx.reader.extends(target.id, source.id):
            return e
    raise ctx.error(node, f"{describe(e)} cannot be assigned to {describe_type(target)}")


def boz_value(ctx: Context, node: Node, e: x.Boz, target: Type) -> x.Expression:
    """A BOZ constant as the bits of an integer."""
    if isinstance(target, Intrinsic) and target.base == "integer":
        bits = 8 * target.kind
        if e.value >> bits:
            raise ctx.error(node, f"{e.text} has more bits than integer({target.kind})")
        value = e.value - (1 << bits) if e.value >> (bits - 1) else e.value
        return x.Literal(value, target)
    raise ctx.error(node, f"{e.text} needs int() or real() around it here")


def operator_generic(ctx: Context, operator: str) -> Generic | None:
    """The interface that defines an operator in this scope."""
    found = ctx.scope.lookup(f"operator({operator})")
    return found if isinstance(found, Generic) else None


def _coarray(ctx: Context, node: Node) -> x.Expression:
    raise ctx.unsupported(node, "a coarray reference", "polystencil runs one image; drop the [ ]")


def _conditional(ctx: Context, node: Node) -> x.Expression:
    raise ctx.unsupported(node, "a conditional expression", "write it as an if statement or merge()")


_HANDLERS: dict[str, Callable[[Context, Node], x.Expression]] = {
    "number_literal": literals.lower_number,
    "boolean_literal": literals.lower_boolean,
    "string_literal": literals.lower_string,
    "complex_literal": literals.lower_complex,
    "null_literal": literals.lower_null,
    "array_literal": literals.lower_array_literal,
    "math_expression": lower_binary,
    "relational_expression": lower_binary,
    "logical_expression": lower_binary,
    "concatenation_expression": lower_binary,
    "unary_expression": lower_unary,
    "parenthesized_expression": lower_parenthesized,
    "implied_do_loop_expression": lower_implied_do,
    "coarray_expression": _coarray,
    "conditional_expression": _conditional,
}


def register(kind: str, handler: Callable[[Context, Node], x.Expression]) -> None:
    """Add the handler of a node type (designators and calls live in files of their own)."""
    _HANDLERS[kind] = handler


__all__ = ["INTEGER", "LOGICAL", "lower"]
