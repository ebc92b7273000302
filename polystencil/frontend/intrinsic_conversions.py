"""int, real, dble, cmplx, logical; inquiry functions, which become constants at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.assignability import boz_value
from polystencil.frontend.constant_intrinsics import intrinsic_value
from polystencil.frontend.constant_values import constant
from polystencil.frontend.constants import Evaluator, NotConstantError, as_literal_value
from polystencil.frontend.conversion import convert, is_numeric, same_type
from polystencil.frontend.intrinsic_arguments import conforming_rank, trimmed
from polystencil.frontend.literals import text_literal
from polystencil.frontend.lowering import describe
from polystencil.ir import expressions as x
from polystencil.ir.types import INTEGER, Intrinsic, NoType
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


def inquiry(ctx: Context, node: Node, name: str, arguments: list[x.Expression | None]) -> x.Expression:
    """Functions whose value only depends on types become constants at once."""
    if name == "new_line":
        return text_literal(b"\n")
    if name == "len":
        t = type_of(arguments[0]) if arguments[0] is not None else NoType()
        kind = kind_argument(ctx, node, arguments[1], 4)
        if isinstance(t, Intrinsic) and isinstance(t.length, (x.Literal, x.NamedConstant)):
            return x.Literal(t.length.value, Intrinsic("integer", kind))
        return x.IntrinsicCall("len", trimmed(arguments), Intrinsic("integer", kind))
    argument = arguments[0]
    t = type_of(argument) if argument is not None else NoType()
    if name in ("huge", "tiny", "epsilon"):
        if not isinstance(t, Intrinsic) or t.base not in (("integer", "real") if name == "huge" else ("real",)):
            raise ctx.error(
                node, f"{name} has no value for {describe(argument) if argument is not None else 'nothing'}"
            )
        result: Intrinsic = Intrinsic(t.base, t.kind)
    else:
        result = INTEGER
    if name == "storage_size":
        result = Intrinsic("integer", kind_argument(ctx, node, arguments[1], 4))
    if name == "rank" and argument is not None:
        return x.Literal(rank_of(argument), INTEGER)
    call = x.IntrinsicCall(name, trimmed(arguments), result)
    try:
        value = intrinsic_value(call, Evaluator(ctx.reader.array_value).value)
    except NotConstantError:
        if name.startswith("selected"):
            raise ctx.unsupported(node, f"{name} of a value that is not constant") from None
        raise ctx.error(
            node, f"{name} has no value for {describe(argument) if argument is not None else 'this'}"
        ) from None
    return x.Literal(as_literal_value(value), result)


def kind_argument(ctx: Context, node: Node, e: x.Expression | None, default: int, base: str = "integer") -> int:
    if e is None:
        return default
    value = constant(ctx, e)
    if value is None or not isinstance(value.value, int):
        raise ctx.error(node, "the argument kind must be a constant")
    allowed = {"integer": (1, 2, 4, 8), "logical": (1, 2, 4, 8)}.get(base, (4, 8))
    if value.value not in allowed:
        raise ctx.unsupported(node, f"{base} of kind {value.value}", f"the kinds of {base} are {allowed}")
    return value.value


def conversion(ctx: Context, node: Node, name: str, arguments: list[x.Expression | None]) -> x.Expression:
    """int, real, dble, logical and cmplx."""
    value = arguments[0]
    assert value is not None
    source = type_of(value)
    if name == "cmplx":
        return _complex(ctx, node, arguments)
    base = {"int": "integer", "logical": "logical"}.get(name, "real")
    default = 4
    if name == "dble" or (name == "real" and isinstance(source, Intrinsic) and source.base == "complex"):
        default = 8 if name == "dble" else source.kind  # type: ignore[union-attr]  # complex is intrinsic
    kind = kind_argument(ctx, node, arguments[1] if len(arguments) > 1 else None, default, base)
    target = Intrinsic(base, kind)  # type: ignore[arg-type]  # one of the bases
    if isinstance(value, x.Boz):
        if base == "integer":
            return boz_value(ctx, node, value, target)
        return x.IntrinsicCall("real", (value,), target)
    if base != "logical" and not is_numeric(source):
        raise ctx.error(node, f"{name} needs a number, this is {describe(value)}")
    if same_type(source, target):
        return value if isinstance(value, (x.Ref, x.Literal, x.NamedConstant, x.Paren, x.Element)) else x.Paren(value)
    return convert(value, source, target)


def _complex(ctx: Context, node: Node, arguments: list[x.Expression | None]) -> x.Expression:
    value, imaginary, kind = arguments
    assert value is not None
    target = Intrinsic("complex", kind_argument(ctx, node, kind, 4, "complex"))
    for a in (value, imaginary):
        if a is not None and not is_numeric(type_of(a)):
            raise ctx.error(node, f"cmplx needs numbers, this is {describe(a)}")
    if imaginary is None:
        if same_type(type_of(value), target):
            return x.Paren(value)
        return convert(value, type_of(value), target)
    part = Intrinsic("real", target.kind)
    parts = (convert(value, type_of(value), part), convert(imaginary, type_of(imaginary), part))
    rank = conforming_rank(ctx, node, "cmplx", [value, imaginary])
    return x.IntrinsicCall("cmplx", (*parts, x.Literal(target.kind, INTEGER)), target, rank)
