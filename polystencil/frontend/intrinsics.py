"""References to intrinsic functions and subroutines: arguments in order, type and rank of the result."""

from __future__ import annotations

from tree_sitter import Node

from polystencil.frontend.calls import Actual
from polystencil.frontend.constant_intrinsics import intrinsic_value
from polystencil.frontend.constants import Evaluator, NotConstantError, as_literal_value
from polystencil.frontend.context import Context
from polystencil.frontend.conversion import common_type, convert, is_numeric, same_type
from polystencil.frontend.entities import Variable
from polystencil.frontend.expressions import boz_value, constant, describe
from polystencil.frontend.intrinsic_names import FUNCTIONS, SPECIFIC, SUBROUTINES, Signature
from polystencil.ir import expressions as x
from polystencil.ir.types import DOUBLE, INTEGER, LOGICAL, REAL, Intrinsic, NoType, ProcedureType, Record, Type
from polystencil.ir.typing import rank_of, type_of

_CLASSES = {
    "i": ("integer",), "r": ("real",), "c": ("complex",), "n": ("integer", "real", "complex"),
    "m": ("integer", "real"), "f": ("real", "complex"), "l": ("logical",), "s": ("character",), "k": ("integer",),
}  # fmt: skip
# functions whose arguments are brought to one type
_JOINT = frozenset({"mod", "modulo", "sign", "dim", "atan2", "hypot", "iand", "ior", "ieor", "max", "min", "merge_bits",
                    "bge", "bgt", "ble", "blt", "dshiftl", "dshiftr"})  # fmt: skip
_ARRAY_FIRST = frozenset({"size", "lbound", "ubound", "transpose", "pack", "cshift", "eoshift", "sum", "product", "maxval",
                          "minval", "any", "all", "count", "maxloc", "minloc", "findloc", "iall", "iany", "iparity",
                          "norm2", "parity", "dot_product", "matmul", "unpack", "reshape"})  # fmt: skip


def intrinsic_function(ctx: Context, node: Node, name: str, actuals: list[Actual]) -> x.Expression:
    """The reference to an intrinsic function."""
    if name in SPECIFIC and name not in FUNCTIONS:
        return _specific(ctx, node, name, actuals)
    if name not in FUNCTIONS:
        raise ctx.unsupported(node, f"the intrinsic function {name}")
    signature = FUNCTIONS[name]
    if name in ("max", "min"):
        return _extremum(ctx, node, name, actuals)
    arguments = _in_order(ctx, node, signature, actuals)
    if name in _JOINT:
        arguments = _jointly(ctx, node, name, arguments)
    if signature.group == "q":
        return _inquiry(ctx, node, name, signature, arguments)
    if name in ("int", "real", "dble", "cmplx", "logical"):
        return _conversion(ctx, node, name, signature, arguments)
    if name in _ARRAY_FIRST and arguments[0] is not None and rank_of(arguments[0]) == 0 and not _is_assumed_rank(ctx, arguments[0]):
        raise ctx.error(actuals[0].node, f"{name} needs an array, this is {describe(arguments[0])}, a scalar")
    t = _result_type(ctx, node, signature, arguments)
    if name == "atan" and arguments[1] is not None:
        name, signature = "atan2", FUNCTIONS["atan2"]
    rank = _result_rank(ctx, node, name, signature, arguments)
    return x.IntrinsicCall(name, _trimmed(arguments), t, rank)


def _is_assumed_rank(ctx: Context, e: x.Expression) -> bool:
    return False


def intrinsic_subroutine(ctx: Context, node: Node, name: str, actuals: list[Actual]) -> tuple[x.Expression | None, ...]:
    """The arguments of a call of an intrinsic subroutine, in order."""
    return _trimmed(_in_order(ctx, node, SUBROUTINES[name], actuals))


def _trimmed(arguments: list[x.Expression | None]) -> tuple[x.Expression | None, ...]:
    end = len(arguments)
    while end and arguments[end - 1] is None:
        end -= 1
    return tuple(arguments[:end])


def _in_order(ctx: Context, node: Node, signature: Signature, actuals: list[Actual]) -> list[x.Expression | None]:
    names = [n for n, _, _ in signature.arguments]
    slots: list[Actual | None] = [None] * len(names)
    place = 0
    for actual in actuals:
        if actual.keyword:
            if actual.keyword not in names:
                raise ctx.error(actual.node, f"{signature.name} has no argument '{actual.keyword}'",
                                f"its arguments are {', '.join(names)}")
            k = names.index(actual.keyword)
        else:
            k = place
            place += 1
            # sum(a, mask) leaves dim out
            if k < len(names) and names[k] == "dim" and k + 1 < len(names) and names[k + 1] == "mask" and _is_logical(actual):
                k, place = k + 1, place + 1
        if k >= len(names):
            raise ctx.error(node, f"{signature.name} takes {len(names)} arguments, {len(actuals)} are given")
        if slots[k] is not None:
            raise ctx.error(actual.node, f"argument '{names[k]}' of {signature.name} is given twice")
        slots[k] = actual
    out: list[x.Expression | None] = []
    for slot, (name, kind, optional) in zip(slots, signature.arguments, strict=True):
        if slot is None:
            if not optional:
                raise ctx.error(node, f"argument '{name}' of {signature.name} is missing")
            out.append(None)
            continue
        _check_class(ctx, signature, name, kind, slot)
        out.append(slot.value)
    return out


def _is_logical(actual: Actual) -> bool:
    t = type_of(actual.value)
    return isinstance(t, Intrinsic) and t.base == "logical"


def _check_class(ctx: Context, signature: Signature, name: str, kind: str, actual: Actual) -> None:
    t = type_of(actual.value)
    if kind == "*":
        if isinstance(t, ProcedureType) and signature.name not in ("present", "associated"):
            raise ctx.error(actual.node, f"argument '{name}' of {signature.name} needs a value, a procedure is given")
        return
    if isinstance(actual.value, x.Boz):
        if kind in "in":
            return
    elif isinstance(t, Intrinsic) and t.base in _CLASSES[kind]:
        return
    wanted = " or ".join(_CLASSES[kind])
    raise ctx.error(actual.node, f"argument '{name}' of {signature.name} must be {wanted}, this is {describe(actual.value)}")


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


def _jointly(ctx: Context, node: Node, name: str, arguments: list[x.Expression | None]) -> list[x.Expression | None]:
    """Arguments that must have one type, converted to the widest kind of it."""
    present = [a for a in arguments if a is not None]
    shift = name in ("dshiftl", "dshiftr")
    joint = present[:-1] if shift else present
    known = [type_of(a) for a in joint if not isinstance(a, x.Boz)]
    if not known or not all(isinstance(t, Intrinsic) for t in known):
        raise ctx.error(node, f"the arguments of {name} must be numbers")
    target = known[0]
    assert isinstance(target, Intrinsic)
    for t in known[1:]:
        assert isinstance(t, Intrinsic)
        if t.base != target.base:
            given = ", ".join(describe(a) for a in present)
            raise ctx.error(node, f"the arguments of {name} must have one type, these are {given}",
                            "convert them with real() or int()")
        if is_numeric(t):
            target = common_type(target, t)
    _conforming(ctx, node, name, present)
    out: list[x.Expression | None] = []
    for k, a in enumerate(arguments):
        if a is None or (shift and k == len(arguments) - 1):
            out.append(a)
        elif isinstance(a, x.Boz):
            out.append(boz_value(ctx, node, a, target))
        else:
            out.append(convert(a, type_of(a), target))
    return out


def _conforming(ctx: Context, node: Node, name: str, arguments: list[x.Expression]) -> int:
    ranks = {rank_of(a) for a in arguments} - {0}
    if len(ranks) > 1:
        raise ctx.error(node, f"the arguments of {name} have different ranks: {', '.join(map(str, sorted(ranks)))}")
    return ranks.pop() if ranks else 0


def _extremum(ctx: Context, node: Node, name: str, actuals: list[Actual]) -> x.Expression:
    if len(actuals) < 2:
        raise ctx.error(node, f"{name} needs two arguments or more",
                        f"for the elements of an array use {name}val" if actuals else "")
    values = _jointly(ctx, node, name, [a.value for a in actuals])
    present = [v for v in values if v is not None]
    t = type_of(present[0])
    if isinstance(t, Intrinsic) and t.base not in ("integer", "real", "character"):
        raise ctx.error(node, f"{name} has no value for {describe(present[0])}")
    return x.IntrinsicCall(name, tuple(values), t, _conforming(ctx, node, name, present))


def _inquiry(ctx: Context, node: Node, name: str, signature: Signature, arguments: list[x.Expression | None]) -> x.Expression:
    """Functions whose value only depends on types become constants at once."""
    if name == "new_line":
        from polystencil.frontend.literals import text_literal

        return text_literal(b"\n")
    if name == "len":
        t = type_of(arguments[0]) if arguments[0] is not None else NoType()
        kind = _kind(ctx, node, arguments[1], 4)
        if isinstance(t, Intrinsic) and isinstance(t.length, (x.Literal, x.NamedConstant)):
            return x.Literal(t.length.value, Intrinsic("integer", kind))
        return x.IntrinsicCall("len", _trimmed(arguments), Intrinsic("integer", kind))
    argument = arguments[0]
    t = type_of(argument) if argument is not None else NoType()
    if name in ("huge", "tiny", "epsilon"):
        if not isinstance(t, Intrinsic) or t.base not in (("integer", "real") if name == "huge" else ("real",)):
            raise ctx.error(node, f"{name} has no value for {describe(argument) if argument is not None else 'nothing'}")
        result: Intrinsic = Intrinsic(t.base, t.kind)
    else:
        result = INTEGER
    if name == "storage_size":
        result = Intrinsic("integer", _kind(ctx, node, arguments[1], 4))
    if name == "rank" and argument is not None:
        return x.Literal(rank_of(argument), INTEGER)
    call = x.IntrinsicCall(name, _trimmed(arguments), result)
    try:
        value = intrinsic_value(call, Evaluator(ctx.reader.array_value).value)
    except NotConstantError:
        if name.startswith("selected"):
            raise ctx.unsupported(node, f"{name} of a value that is not constant") from None
        raise ctx.error(node, f"{name} has no value for {describe(argument) if argument is not None else 'this'}") from None
    return x.Literal(as_literal_value(value), result)


def _kind(ctx: Context, node: Node, e: x.Expression | None, default: int, base: str = "integer") -> int:
    if e is None:
        return default
    value = constant(ctx, e)
    if value is None or not isinstance(value.value, int):
        raise ctx.error(node, "the argument kind must be a constant")
    allowed = {"integer": (1, 2, 4, 8), "logical": (1, 2, 4, 8)}.get(base, (4, 8))
    if value.value not in allowed:
        raise ctx.unsupported(node, f"{base} of kind {value.value}", f"the kinds of {base} are {allowed}")
    return value.value


def _conversion(ctx: Context, node: Node, name: str, signature: Signature, arguments: list[x.Expression | None]) -> x.Expression:
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
    kind = _kind(ctx, node, arguments[1] if len(arguments) > 1 else None, default, base)
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
    value, imaginary, kind_argument = arguments
    assert value is not None
    target = Intrinsic("complex", _kind(ctx, node, kind_argument, 4, "complex"))
    for a in (value, imaginary):
        if a is not None and not is_numeric(type_of(a)):
            raise ctx.error(node, f"cmplx needs numbers, this is {describe(a)}")
    if imaginary is None:
        if same_type(type_of(value), target):
            return x.Paren(value)
        return convert(value, type_of(value), target)
    part = Intrinsic("real", target.kind)
    parts = (convert(value, type_of(value), part), convert(imaginary, type_of(imaginary), part))
    rank = _conforming(ctx, node, "cmplx", [value, imaginary])
    return x.IntrinsicCall("cmplx", (*parts, x.Literal(target.kind, INTEGER)), target, rank)


def _result_type(ctx: Context, node: Node, signature: Signature, arguments: list[x.Expression | None]) -> Type:
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
            return Intrinsic("real", _kind(ctx, node, kind, own.kind if isinstance(own, Intrinsic) else 4, "real"))
        case "kindi":
            return Intrinsic("integer", _kind(ctx, node, kind, 4))
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
            return Intrinsic("integer", _kind(ctx, node, kind, 4))
        case "dot" | "matmul":
            return _product_type(ctx, node, signature.name, arguments)
        case _:
            if signature.name == "transfer" and arguments[1] is not None:
                return type_of(arguments[1])
            if signature.name == "merge" and arguments[1] is not None:
                other = type_of(arguments[1])
                if not _mergeable(ctx, t, other):
                    raise ctx.error(node, f"merge needs two values of one type, these are {describe(first)} and "  # type: ignore[arg-type]
                                    f"{describe(arguments[1])}", "convert one of them")
                if isinstance(t, Record) and isinstance(other, Record):
                    return t
            return own


def _mergeable(ctx: Context, a: Type, b: Type) -> bool:
    if isinstance(a, Record) and isinstance(b, Record):
        return a.id == b.id
    return same_type(a, b)


def _product_type(ctx: Context, node: Node, name: str, arguments: list[x.Expression | None]) -> Type:
    a, b = (type_of(e) for e in arguments if e is not None)
    if is_numeric(a) and is_numeric(b):
        assert isinstance(a, Intrinsic) and isinstance(b, Intrinsic)
        return common_type(a, b)
    if isinstance(a, Intrinsic) and isinstance(b, Intrinsic) and a.base == b.base == "logical":
        return a
    raise ctx.error(node, f"{name} needs two arrays of numbers or two of logicals")


def _result_rank(
    ctx: Context, node: Node, name: str, signature: Signature, arguments: list[x.Expression | None]
) -> int:
    first = arguments[0] if arguments else None
    rank = rank_of(first) if first is not None else 0
    names = [n for n, _, _ in signature.arguments]
    dim = arguments[names.index("dim")] if "dim" in names else None
    if signature.group == "e":
        return _conforming(ctx, node, name, [a for a in arguments if a is not None])
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


__all__ = ["REAL"]
