"""References to intrinsic functions and subroutines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.arguments import Actual
from polystencil.frontend.constant_values import constant
from polystencil.frontend.intrinsic_arguments import JOINT, conforming_rank, converted_to_one_type, in_order, trimmed
from polystencil.frontend.intrinsic_conversions import conversion, inquiry
from polystencil.frontend.intrinsic_names import FUNCTIONS, SPECIFIC, SUBROUTINES, Signature
from polystencil.frontend.intrinsic_results import result_rank, result_type
from polystencil.frontend.lowering import describe
from polystencil.ir import expressions as x
from polystencil.ir.types import INTEGER, Intrinsic
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context

_ARRAY_FIRST = frozenset({
    "size", "lbound", "ubound", "transpose", "pack", "cshift", "eoshift", "sum", "product", "maxval",
    "minval", "any", "all", "count", "maxloc", "minloc", "findloc", "iall", "iany", "iparity", "norm2",
    "parity", "dot_product", "matmul", "unpack", "reshape",
})  # fmt: skip


def intrinsic_function(ctx: Context, node: Node, name: str, actuals: list[Actual]) -> x.Expression:
    """The reference to an intrinsic function."""
    if name in SPECIFIC and name not in FUNCTIONS:
        return _specific(ctx, node, name, actuals)
    if name not in FUNCTIONS:
        raise ctx.unsupported(node, f"the intrinsic function {name}")
    signature = FUNCTIONS[name]
    if name in ("max", "min"):
        return _extremum(ctx, node, name, actuals)
    arguments = in_order(ctx, node, signature, actuals)
    if name in JOINT:
        arguments = converted_to_one_type(ctx, node, name, arguments)
    if signature.group == "q":
        return inquiry(ctx, node, name, arguments)
    if name in ("int", "real", "dble", "cmplx", "logical"):
        return conversion(ctx, node, name, arguments)
    if name in _ARRAY_FIRST and arguments[0] is not None and rank_of(arguments[0]) == 0:
        raise ctx.error(actuals[0].node, f"{name} needs an array, this is {describe(arguments[0])}, a scalar")
    _check_dim(ctx, node, name, signature, arguments)
    t = result_type(ctx, node, signature, arguments)
    if name == "atan" and arguments[1] is not None:
        name, signature = "atan2", FUNCTIONS["atan2"]
    rank = result_rank(ctx, node, name, signature, arguments)
    return x.IntrinsicCall(name, trimmed(arguments), t, rank)


def _check_dim(ctx: Context, node: Node, name: str, signature: Signature, arguments: list[x.Expression | None]) -> None:
    names = [n for n, _, _ in signature.arguments]
    dim = arguments[names.index("dim")] if "dim" in names else None
    value = None if dim is None else constant(ctx, dim)
    if value is None or arguments[0] is None or not isinstance(value.value, int):
        return
    rank = rank_of(arguments[0]) + (1 if name == "spread" else 0)
    if not 1 <= value.value <= rank:
        raise ctx.error(node, f"dim is {value.value}, the array of {name} has rank {rank_of(arguments[0])}")


def intrinsic_subroutine(ctx: Context, node: Node, name: str, actuals: list[Actual]) -> tuple[x.Expression | None, ...]:
    """The arguments of a call of an intrinsic subroutine, in order."""
    return trimmed(in_order(ctx, node, SUBROUTINES[name], actuals))


def _specific(ctx: Context, node: Node, name: str, actuals: list[Actual]) -> x.Expression:
    generic = SPECIFIC[name]
    if generic == "cmplx8":
        kind = Actual("kind", x.Literal(8, INTEGER), node)
        return intrinsic_function(ctx, node, "cmplx", [*actuals, kind])
    if "(" in generic:
        outer, inner = generic.rstrip(")").split("(")
        value = intrinsic_function(ctx, node, inner, actuals)
        return intrinsic_function(ctx, node, outer, [Actual("", value, node)])
    return intrinsic_function(ctx, node, generic, actuals)


def _extremum(ctx: Context, node: Node, name: str, actuals: list[Actual]) -> x.Expression:
    if len(actuals) < 2:
        raise ctx.error(
            node,
            f"{name} needs two arguments or more",
            f"for the elements of an array use {name}val" if actuals else "",
        )
    values = converted_to_one_type(ctx, node, name, [a.value for a in actuals])
    present = [v for v in values if v is not None]
    t = type_of(present[0])
    if isinstance(t, Intrinsic) and t.base not in ("integer", "real", "character"):
        raise ctx.error(node, f"{name} has no value for {describe(present[0])}")
    return x.IntrinsicCall(name, tuple(values), t, conforming_rank(ctx, node, name, present))
