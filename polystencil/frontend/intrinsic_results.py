"""Type and rank of the results of intrinsic functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.constant_values import constant
from polystencil.frontend.constants import Evaluator, NotConstantError
from polystencil.frontend.conversion import common_type, is_numeric, same_type
from polystencil.frontend.entities import Variable
from polystencil.frontend.intrinsic_arguments import conforming_rank
from polystencil.frontend.intrinsic_conversions import kind_argument
from polystencil.frontend.lowering import describe
from polystencil.ir import expressions as x
from polystencil.ir.types import DOUBLE, INTEGER, LOGICAL, Intrinsic, NoType, Record, Type
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.intrinsic_names import Signature


def result_type(ctx: Context, node: Node, signature: Signature, arguments: list[x.Expression | None]) -> Type:
    first = arguments[0] if arguments else None
    t: Type = type_of(first) if first is not None else NoType()
    own = Intrinsic(t.base, t.kind, t.length) if isinstance(t, Intrinsic) else t
    rule = signature.rule
    names = [n for n, _, _ in signature.arguments]
    kind = arguments[names.index("kind")] if "kind" in names else None
    match rule:
        case "real" | "part":
            return Intrinsic("real", own.kind) if isinstance(own, Intrinsic) and own.base == "complex" else own
        case "kindr":
            return Intrinsic(
                "real", kind_argument(ctx, node, kind, own.kind if isinstance(own, Intrinsic) else 4, "real")
            )
        case "kindi":
            return Intrinsic("integer", kind_argument(ctx, node, kind, 4))
        case "int":
            return INTEGER
        case "logical":
            return LOGICAL
        case "double":
            return DOUBLE
        case "char":
            return Intrinsic("character", 1, x.Literal(1, INTEGER))
        case "text":
            return Intrinsic("character", 1, None)
        case "shape":
            return Intrinsic("integer", kind_argument(ctx, node, kind, 4))
        case "dot" | "matmul":
            return _product_type(ctx, node, signature.name, arguments)
        case _:
            if signature.name == "transfer" and arguments[1] is not None:
                return type_of(arguments[1])
            if signature.name == "merge" and arguments[1] is not None:
                other = type_of(arguments[1])
                if not _mergeable(t, other):
                    raise ctx.error(
                        node,
                        f"merge needs two values of one type, these are {describe(first)} and "  # type: ignore[arg-type]  # arguments of merge are expressions
                        f"{describe(arguments[1])}",
                        "convert one of them",
                    )
                if isinstance(t, Record) and isinstance(other, Record):
                    return t
            return own


def _mergeable(a: Type, b: Type) -> bool:
    if isinstance(a, Record) and isinstance(b, Record):
        return a.id == b.id
    return same_type(a, b)


def _product_type(ctx: Context, node: Node, name: str, arguments: list[x.Expression | None]) -> Type:
    a, b = (type_of(e) for e in arguments if e is not None)
    if is_numeric(a) and is_numeric(b):
        return common_type(a, b)
    if isinstance(a, Intrinsic) and isinstance(b, Intrinsic) and a.base == b.base == "logical":
        return a
    raise ctx.error(node, f"{name} needs two arrays of numbers or two of logicals")


def result_rank(ctx: Context, node: Node, name: str, signature: Signature, arguments: list[x.Expression | None]) -> int:
    first = arguments[0] if arguments else None
    rank = rank_of(first) if first is not None else 0
    names = [n for n, _, _ in signature.arguments]
    dim = arguments[names.index("dim")] if "dim" in names else None
    if signature.group == "e":
        return conforming_rank(ctx, node, name, [a for a in arguments if a is not None])
    if signature.group == "r":
        return rank - 1 if dim is not None else 0
    if signature.group == "l":
        return rank - 1 if dim is not None else 1
    match name:
        case "size":
            return 0
        case "lbound" | "ubound":
            return 0 if dim is not None else 1
        case "shape" | "pack":
            return 1
        case "matmul":
            second = rank_of(arguments[1]) if arguments[1] is not None else 0
            return rank + second - 2
        case "transpose":
            if rank != 2:
                raise ctx.error(node, f"transpose needs a matrix, this array has rank {rank}")
            return 2
        case "reshape":
            size = constant_size(ctx, arguments[1])
            if size is None:
                raise ctx.error(node, "the shape of reshape must have a constant size")
            return size
        case "spread":
            return rank + 1
        case "unpack":
            return rank_of(arguments[1]) if arguments[1] is not None else 0
        case "cshift" | "eoshift":
            return rank
        case "transfer":
            mold = arguments[1]
            return 1 if arguments[2] is not None or (mold is not None and rank_of(mold)) else 0
        case _:
            return 0


def constant_size(ctx: Context, e: x.Expression | None) -> int | None:
    """The number of elements of a rank-1 expression when it is known."""
    if isinstance(e, x.ArrayConstructor):
        total = 0
        for item in e.items:
            if isinstance(item, x.ImpliedDo):
                return _evaluated_size(ctx, e)
            part = 1 if rank_of(item) == 0 else constant_size(ctx, item)
            if part is None:
                return None
            total += part
        return total
    if isinstance(e, x.IntrinsicCall) and e.name in ("shape", "lbound", "ubound") and e.arguments[0] is not None:
        return rank_of(e.arguments[0])
    if isinstance(e, x.Ref):
        variable = ctx.reader.variable(e.id)
        shape = variable.shape if isinstance(variable, Variable) else None
        if shape and not isinstance(shape[0].upper, str) and shape[0].upper is not None and shape[0].lower is not None:
            low, high = constant(ctx, shape[0].lower), constant(ctx, shape[0].upper)
            if low is not None and high is not None:
                return int(high.value) - int(low.value) + 1  # type: ignore[arg-type]  # integers
    if isinstance(e, (x.Paren, x.Convert, x.Unary)):
        return constant_size(ctx, e.operand)
    if isinstance(e, x.Binary):
        return constant_size(ctx, e.left) if rank_of(e.left) else constant_size(ctx, e.right)
    return None if e is None else _evaluated_size(ctx, e)


def _evaluated_size(ctx: Context, e: x.Expression) -> int | None:
    try:
        return int(Evaluator(ctx.reader.array_value).value(e).size)
    except NotConstantError:
        return None
