"""The IR node of a function reference whose arguments are matched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.ir import expressions as x
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.procedures import ProcedureUnit


def function_call(
    ctx: Context,
    node: Node,
    unit: ProcedureUnit,
    arguments: tuple[x.Expression | None, ...],
    target: x.Expression | None = None,
) -> x.Expression:
    """The reference to a function whose arguments are matched."""
    unit.declare()
    if unit.result is None:
        raise ctx.error(node, f"'{unit.name}' is a subroutine", f"write call {unit.name}(...)")
    rank = unit.result.rank
    if unit.elemental:
        rank = max((rank_of(a) for a in arguments if a is not None), default=0)
    t = unit.result.full_type
    if isinstance(t, Intrinsic) and t.base == "character" and not isinstance(t.length, (x.Literal, x.NamedConstant)):
        t = Intrinsic("character", 1, ":" if t.length == ":" else None)
    return x.FunctionCall(target or x.ProcedureRef(unit.id), arguments, t, rank)
