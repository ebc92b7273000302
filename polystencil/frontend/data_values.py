"""The value lists of data statements: repeat counts, constants, dealt out in order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.constant_values import constant, constant_integer
from polystencil.frontend.lowering import lower
from polystencil.ir import expressions as x

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


class DataValues:
    """The values of one data set; `take` gives the next ones."""

    def __init__(self, ctx: Context, node: Node) -> None:
        self._ctx, self._node = ctx, node
        self._runs = list(_runs(ctx, node))
        self._at = 0

    def take(self, count: int) -> list[tuple[int, x.Expression, Node]]:
        """Runs (repeat, value, place) that make up the next `count` values."""
        out: list[tuple[int, x.Expression, Node]] = []
        while count:
            if self._at >= len(self._runs):
                raise self._ctx.error(self._node, "the data statement has too few values")
            repeat, value, node = self._runs[self._at]
            used = min(repeat, count)
            if used:
                out.append((used, value, node))
            count -= used
            if used == repeat:
                self._at += 1
            else:
                self._runs[self._at] = (repeat - used, value, node)
        return out

    def finish(self) -> None:
        if any(repeat for repeat, _, _ in self._runs[self._at :]):
            raise self._ctx.error(self._node, "the data statement has too many values")


def _runs(ctx: Context, node: Node) -> Iterator[tuple[int, x.Expression, Node]]:

    repeat = 1
    children = [c for c in node.children if c.type not in ("/", ",", "comment", "&")]
    k = 0
    while k < len(children):
        child = children[k]
        if k + 1 < len(children) and children[k + 1].type == "*":
            repeat = constant_integer(ctx, child, "a repeat count")
            k += 2
            continue
        yield repeat, _constant(ctx, child, lower(ctx, child)), child
        repeat = 1
        k += 1


def _constant(ctx: Context, node: Node, e: x.Expression) -> x.Expression:

    if isinstance(e, (x.Null, x.Boz, x.StructureConstructor)):
        return e
    value = constant(ctx, e)
    if value is None:
        raise ctx.error(node, "a data value must be a constant")
    return value
