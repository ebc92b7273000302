"""Arguments of intrinsic procedures: order, keywords, types, conversion to one type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.assignability import boz_value
from polystencil.frontend.conversion import common_type, convert, is_numeric
from polystencil.frontend.lowering import describe
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic, ProcedureType
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.arguments import Actual
    from polystencil.frontend.context import Context
    from polystencil.frontend.intrinsic_names import Signature


_CLASSES = {
    "i": ("integer",), "r": ("real",), "c": ("complex",), "n": ("integer", "real", "complex"),
    "m": ("integer", "real"), "f": ("real", "complex"), "l": ("logical",), "s": ("character",), "k": ("integer",),
}  # fmt: skip


# functions whose arguments are brought to one type
JOINT = frozenset({"mod", "modulo", "sign", "dim", "atan2", "hypot", "iand", "ior", "ieor", "max", "min", "merge_bits",
                    "bge", "bgt", "ble", "blt", "dshiftl", "dshiftr"})  # fmt: skip


def trimmed(arguments: list[x.Expression | None]) -> tuple[x.Expression | None, ...]:
    end = len(arguments)
    while end and arguments[end - 1] is None:
        end -= 1
    return tuple(arguments[:end])


def in_order(ctx: Context, node: Node, signature: Signature, actuals: list[Actual]) -> list[x.Expression | None]:
    names = [n for n, _, _ in signature.arguments]
    slots: list[Actual | None] = [None] * len(names)
    place = 0
    for actual in actuals:
        if actual.keyword:
            if actual.keyword not in names:
                raise ctx.error(
                    actual.node,
                    f"{signature.name} has no argument '{actual.keyword}'",
                    f"its arguments are {', '.join(names)}",
                )
            k = names.index(actual.keyword)
        else:
            k = place
            place += 1
            # sum(a, mask) leaves dim out
            if (
                k < len(names)
                and names[k] == "dim"
                and k + 1 < len(names)
                and names[k + 1] == "mask"
                and _is_logical(actual)
            ):
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
    raise ctx.error(
        actual.node, f"argument '{name}' of {signature.name} must be {wanted}, this is {describe(actual.value)}"
    )


def converted_to_one_type(
    ctx: Context, node: Node, name: str, arguments: list[x.Expression | None]
) -> list[x.Expression | None]:
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
            raise ctx.error(
                node,
                f"the arguments of {name} must have one type, these are {given}",
                "convert them with real() or int()",
            )
        if is_numeric(t):
            target = common_type(target, t)
    conforming_rank(ctx, node, name, present)
    out: list[x.Expression | None] = []
    for k, a in enumerate(arguments):
        if a is None or (shift and k == len(arguments) - 1):
            out.append(a)
        elif isinstance(a, x.Boz):
            out.append(boz_value(ctx, node, a, target))
        else:
            out.append(convert(a, type_of(a), target))
    return out


def conforming_rank(ctx: Context, node: Node, name: str, arguments: list[x.Expression]) -> int:
    ranks = {rank_of(a) for a in arguments} - {0}
    if len(ranks) > 1:
        raise ctx.error(node, f"the arguments of {name} have different ranks: {', '.join(map(str, sorted(ranks)))}")
    return ranks.pop() if ranks else 0
