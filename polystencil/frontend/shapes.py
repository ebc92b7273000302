"""Declared shapes and initial values of variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tree_sitter import Node

from polystencil.frontend.assignability import assign_convert
from polystencil.frontend.constant_values import constant
from polystencil.frontend.constants import Evaluator, NotConstantError, as_literal_value
from polystencil.frontend.context import named, text_of
from polystencil.frontend.lowering import lower, lower_scalar
from polystencil.ir import expressions as x
from polystencil.ir.program import Dimension
from polystencil.ir.types import INTEGER, Intrinsic, ProcedureType, Type
from polystencil.ir.typing import rank_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.entities import Variable


ONE = x.Literal(1, INTEGER)


def declare_shape(ctx: Context, variable: Variable, node: Node) -> None:
    """Give `variable` the shape of an argument list; its bounds are read once all names are declared."""
    items = named(node)
    if len(items) == 1 and text_of(items[0]) == "..":
        raise ctx.unsupported(node, "an assumed-rank dummy", "write one procedure for each rank behind a generic name")
    variable.rank = len(items)
    variable.pending_shape = lambda: tuple(_dimension(ctx, variable, item) for item in items)


def _dimension(ctx: Context, variable: Variable, item: Node) -> Dimension:

    deferred = bool(variable.attributes & {"allocatable", "pointer"})
    if item.type == "assumed_size":
        return Dimension(ONE, "*")
    if item.type != "extent_specifier":
        return Dimension(ONE, lower_scalar(ctx, item, "integer", "an array bound"))
    lower: x.Expression | None = None
    upper: x.Expression | str | None = None
    seen = False
    for child in item.children:
        if child.type == ":":
            seen = True
        elif child.type == "assumed_size":
            upper = "*"
        elif child.is_named and child.type != "comment":
            bound = lower_scalar(ctx, child, "integer", "an array bound")
            if seen:
                upper = bound
            else:
                lower = bound
    if upper is None:
        if deferred:
            if lower is not None:
                raise ctx.error(
                    item,
                    "the bounds of an allocatable or pointer are given when it gets its storage",
                    "declare it with (:)",
                )
            return Dimension(None, None)
        return Dimension(lower or ONE, None, True)
    return Dimension(lower or ONE, upper)


def initialise(
    ctx: Context, node: Node, variable: Variable, value_node: Node, pointer: bool, component: bool = False
) -> None:
    """`= value` or `=> value` of a declaration."""

    declared = len(ctx.scope.unit().order)
    value = lower(ctx, value_node)
    if pointer or isinstance(value, (x.Null, x.ProcedureRef)):
        variable.initial = value
        if "dummy" not in variable.attributes and not component and "parameter" not in variable.attributes:
            variable.attributes.add("save")
        return
    assert variable.type is not None
    if isinstance(variable.type, ProcedureType):
        raise ctx.error(node, f"'{variable.name}' is a procedure pointer, use => to initialise it")
    value = assign_convert(ctx, value_node, value, variable.type)
    if rank_of(value) not in (0, variable.rank):
        raise ctx.error(value_node, f"'{variable.name}' has rank {variable.rank}, its value has rank {rank_of(value)}")
    if "dummy" in variable.attributes:
        raise ctx.error(node, f"dummy argument '{variable.name}' cannot have an initial value")
    if "parameter" in variable.attributes:
        _parameter_value(ctx, value_node, variable, value)
        if isinstance(variable.type, Intrinsic):
            del ctx.scope.unit().order[declared:]  # variables of implied do loops, which are computed now
        return
    variable.initial = value
    if not component:
        variable.attributes.add("save")


def _parameter_value(ctx: Context, node: Node, variable: Variable, value: x.Expression) -> None:
    t = variable.type
    variable.initial = value
    if not isinstance(t, Intrinsic):
        return
    try:
        constant = Evaluator(ctx.reader.array_value).value(value)
    except NotConstantError as error:
        reason = error.reason or "it is not a constant expression"
        if isinstance(error.part, x.IntrinsicCall) and not error.reason:
            raise ctx.unsupported(node, f"the intrinsic {error.part.name} in a constant expression") from None
        if isinstance(error.part, x.Ref):
            reason = f"'{error.part.id.rsplit('.', 1)[-1]}' is not a constant"
        raise ctx.error(node, f"the value of parameter '{variable.name}' cannot be computed: {reason}") from None
    if variable.rank == 0:
        plain = as_literal_value(constant)
        if t.base == "character":
            plain = bytes(plain)
            length = t.length
            if isinstance(length, x.Literal) and isinstance(length.value, int):
                plain = plain[: length.value].ljust(length.value)
            variable.type = Intrinsic("character", 1, x.Literal(len(plain), INTEGER))
        variable.constant = plain
        variable.initial = x.Literal(plain, variable.type)  # type: ignore[arg-type]  # an intrinsic type
        return
    _array_parameter(ctx, node, variable, constant)


def _array_parameter(ctx: Context, node: Node, variable: Variable, value: object) -> None:
    array = np.asarray(value)
    t = variable.type
    if isinstance(t, Intrinsic) and t.base == "character":
        length = t.length.value if isinstance(t.length, x.Literal) else array.dtype.itemsize
        variable.type = Intrinsic("character", 1, x.Literal(int(length), INTEGER))  # type: ignore[arg-type]  # an integer
    shape = variable.shape or ()
    bounds: list[tuple[int, int]] = []
    dimensions: list[Dimension] = []
    for k, dimension in enumerate(shape):
        lower = _constant(ctx, node, variable, dimension.lower)
        if dimension.upper == "*":
            if not array.ndim:
                raise ctx.error(node, f"the bounds of '{variable.name}' cannot be told from a scalar")
            upper = lower + array.shape[k] - 1
            dimensions.append(Dimension(dimension.lower, x.Literal(upper, INTEGER)))
        else:
            assert not isinstance(dimension.upper, str)
            upper = _constant(ctx, node, variable, dimension.upper)
            dimensions.append(dimension)
        bounds.append((lower, upper))
    variable.shape = tuple(dimensions)
    extents = tuple(max(0, high - low + 1) for low, high in bounds)
    if array.ndim and array.shape != extents:
        raise ctx.error(node, f"'{variable.name}' has the shape {extents}, its value {array.shape}")
    array = np.broadcast_to(array, extents)
    ctx.reader.set_array(variable.id, array, tuple(low for low, _ in bounds))
    variable.initial = _array_literal(variable.type, array)


def _array_literal(t: Type | None, array: Any) -> x.Expression:
    """The value of an array parameter, computed once and for all."""
    assert isinstance(t, Intrinsic)
    flat = array.ravel(order="F")
    if flat.size and np.all(flat == flat[0]):
        return x.Literal(as_literal_value(flat[0]), t)
    if t.base == "character":
        width = int(t.length.value)  # type: ignore[union-attr]  # a constant length
        items = tuple(x.Literal(bytes(v)[:width].ljust(width), t) for v in flat)
    else:
        items = tuple(x.Literal(as_literal_value(v), t) for v in flat)
    value: x.Expression = x.ArrayConstructor(items, t)
    if array.ndim > 1:
        shape = x.ArrayConstructor(tuple(x.Literal(n, INTEGER) for n in array.shape), INTEGER)
        value = x.IntrinsicCall("reshape", (value, shape), t, array.ndim)
    return value


def _constant(ctx: Context, node: Node, variable: Variable, e: x.Expression | None) -> int:

    value = None if e is None else constant(ctx, e)
    if value is None:
        raise ctx.error(node, f"the bounds of parameter '{variable.name}' must be constant")
    return int(value.value)  # type: ignore[arg-type]  # an integer


def constant_extents(ctx: Context, variable: Variable) -> tuple[tuple[int, int], ...] | None:
    """(lower, upper) of each dimension, None where they are not constant."""

    out: list[tuple[int, int]] = []
    for dimension in variable.shape or ():
        if dimension.lower is None or dimension.upper is None or isinstance(dimension.upper, str):
            return None
        low, high = constant(ctx, dimension.lower), constant(ctx, dimension.upper)
        if low is None or high is None:
            return None
        out.append((int(low.value), int(high.value)))  # type: ignore[arg-type]  # integers
    return tuple(out)
