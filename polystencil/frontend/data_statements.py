"""Data statements: values given to variables in element order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.assignability import assign_convert
from polystencil.frontend.constant_values import constant
from polystencil.frontend.context import named, text_of
from polystencil.frontend.data_values import DataValues
from polystencil.frontend.entities import Variable
from polystencil.frontend.lowering import lower
from polystencil.frontend.names import find
from polystencil.frontend.shapes import constant_extents
from polystencil.frontend.writable import root_of
from polystencil.ir import expressions as x
from polystencil.ir.program import DataValue
from polystencil.ir.traversal import map_expression
from polystencil.ir.types import INTEGER, Intrinsic
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.specification import Specification


_LIMIT = 10_000_000


def data_values(specification: Specification) -> tuple[DataValue, ...]:
    """All data of a specification part."""
    ctx = specification.ctx
    out: list[DataValue] = []
    for node, variable in specification.data:
        if variable is not None:
            values = DataValues(ctx, node)
            _whole(ctx, node, variable.reference(), variable, values, out)
            values.finish()
            continue
        for data_set in named(node):
            parts = named(data_set)
            values = DataValues(ctx, parts[-1])
            for target in parts[:-1]:
                _target(ctx, target, values, out)
            values.finish()
    return tuple(out)


def _target(ctx: Context, node: Node, values: DataValues, out: list[DataValue]) -> None:

    if node.type == "implied_do_loop_expression":
        _implied(ctx, node, values, out)
        return

    if node.type == "identifier":
        named_here = find(ctx, node, text_of(node))
        if isinstance(named_here, Variable):
            _saved(named_here)
            _whole(ctx, node, named_here.reference(), named_here, values, out)
            return
    e = lower(ctx, node)
    root = root_of(e)
    variable = ctx.reader.variable(root.id) if isinstance(root, x.Ref) else None
    if variable is None:
        raise ctx.error(node, "a data statement needs variables")
    _saved(variable)
    _fill(ctx, _folded(ctx, e, {}), 1 if rank_of(e) == 0 else _section_size(ctx, node, e), values, out)


def _saved(variable: Variable) -> None:
    if variable.block is None or not variable.block.startswith("/"):
        variable.attributes.add("save")


def _whole(
    ctx: Context, node: Node, e: x.Expression, variable: Variable, values: DataValues, out: list[DataValue]
) -> None:
    count = 1
    extents: tuple[tuple[int, int], ...] | None = ()
    if variable.rank:
        extents = constant_extents(ctx, variable)
        if extents is None:
            raise ctx.error(node, f"'{variable.name}' needs constant bounds in a data statement")
        for low, high in extents:
            count *= max(0, high - low + 1)
    _fill(ctx, e, count, values, out, tuple(h - l + 1 for l, h in extents or ()))


def _fill(
    ctx: Context, target: x.Expression, count: int, values: DataValues, out: list[DataValue],
    shape: tuple[int, ...] = (),
) -> None:  # fmt: skip

    runs = values.take(count)
    t = type_of(target)
    converted = [(n, assign_convert(ctx, place, v, t) if not isinstance(v, x.Null) else v) for n, v, place in runs]
    folded = [(n, _converted(ctx, v)) for n, v in converted]
    if not folded:
        return
    if rank_of(target) == 0 or all(v == folded[0][1] for _, v in folded):
        out.append(DataValue(target, folded[0][1]))
        return
    items = tuple(v for n, v in folded for _ in range(n))
    value: x.Expression = x.ArrayConstructor(items, t)
    if len(shape) > 1:
        extents = x.ArrayConstructor(tuple(x.Literal(n, INTEGER) for n in shape), INTEGER)
        value = x.IntrinsicCall("reshape", (value, extents), t, len(shape))
    out.append(DataValue(target, value))


def _converted(ctx: Context, e: x.Expression) -> x.Expression:

    return constant(ctx, e) or e


def _section_size(ctx: Context, node: Node, e: x.Expression) -> int:

    if not isinstance(e, x.Section) or not isinstance(e.base, x.Ref):
        raise ctx.unsupported(node, "this target of a data statement", "name whole arrays or elements")
    variable = ctx.reader.variable(e.base.id)
    extents = constant_extents(ctx, variable) if variable is not None else None
    if extents is None:
        raise ctx.error(node, "a section in a data statement needs constant bounds")
    total = 1
    for s, (low, high) in zip(e.subscripts, extents, strict=True):
        if isinstance(s, x.Range):
            bounds = []
            for part, default in ((s.lower, low), (s.upper, high), (s.step, 1)):
                value = default if part is None else constant(ctx, part)
                if value is None:
                    raise ctx.error(node, "a section in a data statement needs constant bounds")
                bounds.append(value if isinstance(value, int) else int(value.value))  # type: ignore[arg-type]  # bounds of declared shapes are literals
            total *= max(0, (bounds[1] - bounds[0] + bounds[2]) // bounds[2])
    return total


def _implied(ctx: Context, node: Node, values: DataValues, out: list[DataValue]) -> None:

    loop = lower(ctx, node)
    assert isinstance(loop, x.ImpliedDo)
    _run_implied(ctx, node, loop, {}, values, out)


def _run_implied(
    ctx: Context, node: Node, loop: x.ImpliedDo, known: dict[str, int], values: DataValues, out: list[DataValue]
) -> None:
    lower, upper = (_number(ctx, node, e, known) for e in (loop.lower, loop.upper))
    step = 1 if loop.step is None else _number(ctx, node, loop.step, known)
    if step == 0 or abs(upper - lower) > _LIMIT:
        raise ctx.error(node, "the implied do of a data statement has no sensible bounds")
    for i in range(lower, upper + (1 if step > 0 else -1), step):
        inner = {**known, loop.variable.id: i}
        for item in loop.items:
            if isinstance(item, x.ImpliedDo):
                _run_implied(ctx, node, item, inner, values, out)
                continue
            target = _folded(ctx, item, inner)

            root = root_of(target)
            variable = ctx.reader.variable(root.id) if isinstance(root, x.Ref) else None
            if variable is not None:
                _saved(variable)
            _fill(ctx, target, 1, values, out)


def _number(ctx: Context, node: Node, e: x.Expression, known: dict[str, int]) -> int:
    value = _folded(ctx, e, known)
    if not isinstance(value, x.Literal) or not isinstance(value.value, int):
        raise ctx.error(node, "the bounds of an implied do in a data statement must be constant")
    return value.value


def _folded(ctx: Context, e: x.Expression, known: dict[str, int]) -> x.Expression:
    """`e` with the implied do variables in place and subscripts folded."""

    def replace(node: x.Expression) -> x.Expression:
        if isinstance(node, x.Ref) and node.id in known and isinstance(node.type, Intrinsic):
            return x.Literal(known[node.id], node.type)
        if isinstance(node, x.Element):
            return x.Element(node.base, tuple(constant(ctx, i) or i for i in node.indices))
        return node

    out = map_expression(e, replace)
    if isinstance(out, (x.Element, x.Section, x.Component, x.Ref)):
        return out
    return constant(ctx, out) or out
