"""Conditions under which the host takes the split form of a loop: room for the margins, iterations, shapes."""

from __future__ import annotations

from polystencil.analysis.definitions import Invariance
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import all_of, as_kind, compare, integer, plus, times, value_of
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, walk_expression
from polystencil.ir.types import INTEGER8
from polystencil.transforms.frame import Box
from polystencil.transforms.margins import Margins
from polystencil.transforms.splittable import NotSplit


def has_room(whole: s.ParallelLoop, margins: Margins) -> x.Expression:
    """The condition under which the margins of every dimension do not overlap."""
    box = Box(whole.indices, tuple(map(integer, margins.low)), tuple(map(integer, margins.high)))
    tests: dict[x.Expression, None] = {}
    for d in range(len(box.indices)):
        extent, least = box.extent(d), plus(box.low[d], box.high[d])
        have, need = value_of(extent), value_of(least)
        if have is None or need is None:
            tests[compare(">=", extent, least)] = None
        elif have < need:
            raise NotSplit("the loop has fewer iterations than the margins of its tests")
    return all_of(*tests)


def iterations_of(box: Box) -> x.Expression:
    """The number of iterations in 64 bits."""
    out: x.Expression = integer(1, INTEGER8)
    for d in range(len(box.indices)):
        out = times(out, as_kind(box.extent(d), 8))
    return out


def stands_outside(e: x.Expression, table: SymbolTable) -> bool:
    """Whether every variable in a condition belongs to the procedure or a scope around it, not to the loop."""
    return all(table.owner.get(n.id) is not None and ".loop" not in n.id for n in walk_expression(e) if isinstance(n, x.Ref))


def keeps_shape(e: x.Expression, keeps: Invariance) -> bool:
    """Whether a condition on sizes and scalars holds all through the loop if it holds before: arrays keep their shape
    in a loop that only assigns elements, so only scalars need to be invariant."""
    if isinstance(e, x.IntrinsicCall) and e.name in ("size", "lbound", "ubound"):
        return isinstance(e.arguments[0], x.Ref)
    if isinstance(e, x.Ref):
        return keeps(e)
    return all(keeps_shape(c, keeps) for c in child_expressions(e))
