"""Actual arguments matched to dummies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import field_of, named, text_of
from polystencil.frontend.entities import Variable
from polystencil.frontend.lowering import describe, describe_type, lower
from polystencil.frontend.writable import check_writable, is_variable, root_of
from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic, NoType, ProcedureType, Record, Type
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.procedures import ProcedureUnit


@dataclass(frozen=True, eq=False)
class Actual:
    """One actual argument."""

    keyword: str
    value: x.Expression
    node: Node


def read_actuals(ctx: Context, arguments: Node | None) -> list[Actual]:
    """The arguments of a list, lowered."""
    out: list[Actual] = []
    if arguments is None:
        return out
    for item in named(arguments):
        if item.type == "keyword_argument":
            name, value = field_of(item, "name"), field_of(item, "value")
            out.append(Actual(text_of(name), lower(ctx, value), value))
            continue
        if item.type == "assumed_size":
            raise ctx.unsupported(item, "an alternate return", "return a status and branch on it")
        if item.type == "extent_specifier":
            raise ctx.error(item, "a range a:b is no argument of a procedure", "is the name declared as an array?")
        if out and out[-1].keyword:
            raise ctx.error(item, "a positional argument cannot follow one with a keyword")
        out.append(Actual("", lower(ctx, item), item))
    return out


class Mismatch(Exception):
    """Why the arguments do not fit; `node` is the argument's."""

    def __init__(self, reason: str, node: Node | None = None) -> None:
        super().__init__(reason)
        self.reason, self.node = reason, node


def match(
    ctx: Context, unit: ProcedureUnit, actuals: list[Actual], strict_rank: bool
) -> tuple[x.Expression | None, ...]:
    """The arguments in the order of the dummies, None for absent ones; Mismatch when they do not fit."""
    names = unit.dummy_names()
    dummies = unit.dummies
    slots: list[Actual | None] = [None] * len(dummies)
    for k, actual in enumerate(actuals):
        if actual.keyword:
            if actual.keyword not in names:
                raise Mismatch(f"{unit.name} has no dummy argument '{actual.keyword}'", actual.node)
            k = names.index(actual.keyword)
        if k >= len(dummies):
            raise Mismatch(f"{unit.name} takes {len(dummies)} arguments, {len(actuals)} are given", actual.node)
        if slots[k] is not None:
            raise Mismatch(f"argument '{names[k]}' of {unit.name} is given twice", actual.node)
        slots[k] = actual
    out: list[x.Expression | None] = []
    for slot, dummy in zip(slots, dummies, strict=True):
        if slot is None:
            if isinstance(dummy, Variable) and "optional" in dummy.attributes:
                out.append(None)
                continue
            raise Mismatch(f"argument '{dummy.name if isinstance(dummy, Variable) else '*'}' of {unit.name} is missing")
        if not isinstance(dummy, Variable):
            raise Mismatch("alternate returns are not supported", slot.node)
        _check(ctx, unit, dummy, slot, strict_rank)
        out.append(slot.value)
    return tuple(out)


def _check(ctx: Context, unit: ProcedureUnit, dummy: Variable, actual: Actual, strict: bool) -> None:
    wanted, given = dummy.full_type, type_of(actual.value)
    rank = rank_of(actual.value)
    if isinstance(wanted, ProcedureType):
        if not isinstance(given, ProcedureType):
            raise Mismatch(f"'{dummy.name}' of {unit.name} needs a procedure", actual.node)
        return
    if isinstance(given, ProcedureType):
        raise Mismatch(f"'{dummy.name}' of {unit.name} needs a value, a procedure is given", actual.node)
    if isinstance(given, NoType):
        return
    if not _compatible(ctx, wanted, given):
        raise Mismatch(
            f"argument '{dummy.name}' of {unit.name} is {describe_type(wanted)}, given is {describe(actual.value)}",
            actual.node,
        )
    if dummy.rank == rank or dummy.rank < 0:
        return
    if dummy.rank == 0 and rank and unit.elemental:
        return
    if not strict and dummy.rank and _by_sequence(dummy) and _has_sequence(actual.value, rank):
        return
    if not strict and dummy.rank == 0 and rank and unit.implicit_interface and not unit.interface_only:
        raise Mismatch(f"argument '{dummy.name}' of {unit.name} is a scalar, an array is given", actual.node)
    shape = "a scalar" if dummy.rank == 0 else f"an array of rank {dummy.rank}"
    raise Mismatch(
        f"argument '{dummy.name}' of {unit.name} is {shape}, given is {describe(actual.value)}"
        + ("" if rank else ", a scalar"),
        actual.node,
    )


def _by_sequence(dummy: Variable) -> bool:
    """Explicit-shape and assumed-size dummies take any sequence of elements."""
    return dummy.shape is not None and all(d.upper is not None for d in dummy.shape)


def _has_sequence(e: x.Expression, rank: int) -> bool:
    if rank:
        return True
    base = e.base if isinstance(e, x.Substring) else e
    t = type_of(e)
    return isinstance(base, x.Element) or (isinstance(t, Intrinsic) and t.base == "character")


def _compatible(ctx: Context, wanted: Type, given: Type) -> bool:
    if isinstance(wanted, Intrinsic) and isinstance(given, Intrinsic):
        return wanted.base == given.base and wanted.kind == given.kind
    if isinstance(wanted, Record):
        if wanted.id == "*":
            return True
        if isinstance(given, Record):
            return given.id == wanted.id or (wanted.polymorphic and ctx.reader.extends(given.id, wanted.id))
    return False


def matched(ctx: Context, node: Node, unit: ProcedureUnit, actuals: list[Actual]) -> tuple[x.Expression | None, ...]:
    """As `match`, a SourceError at the argument when they do not fit; also checks that outputs are variables."""

    try:
        out = match(ctx, unit, actuals, False)
    except Mismatch as mismatch:
        raise ctx.error(mismatch.node or node, mismatch.reason) from None
    for value, dummy in zip(out, unit.dummies, strict=True):
        if value is None or not isinstance(dummy, Variable) or dummy.intent not in ("out", "inout"):
            continue
        if not is_variable(value) and not isinstance(value, x.Null) and "value" not in dummy.attributes:
            place = next((a.node for a in actuals if a.value is value), node)
            raise ctx.error(
                place,
                f"argument '{dummy.name}' of {unit.name} is written (intent({dummy.intent})), a variable is needed",
                "assign the value to a variable first",
            )
        root = root_of(value)
        variable = ctx.reader.variable(root.id) if isinstance(root, x.Ref) else None
        if variable is not None:
            place = next((a.node for a in actuals if a.value is value), node)
            check_writable(ctx, place, value, variable, f"pass to an intent({dummy.intent}) argument")
    return out
