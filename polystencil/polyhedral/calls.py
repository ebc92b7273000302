"""From a call of a pure procedure to what its dummy arguments stand for, so that the model sees through it."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polystencil.analysis.definitions import base_id, is_pure
from polystencil.ir import expressions as x
from polystencil.ir.building import add_constant, minus
from polystencil.ir.program import Dimension, Procedure, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_expression
from polystencil.ir.types import INTEGER
from polystencil.ir.typing import rank_of
from polystencil.polyhedral.affine import Known, Scope, to_affine
from polystencil.polyhedral.bounds import ONE, dimensions_of, lower_bound
from polystencil.polyhedral.conditions import known_value
from polystencil.polyhedral.designators import Binding, Place, Span1, place_of
from polystencil.polyhedral.parameters import constant


@dataclass(frozen=True, eq=False)
class Seen:
    """A procedure with its dummies bound: to storage, and where a scalar's value is quasi-affine to that."""

    procedure: Procedure
    bindings: dict[str, Binding]
    values: dict[str, Known]


def bind_call(
    target: x.Expression,
    arguments: tuple[x.Expression | None, ...],
    table: SymbolTable,
    scope: Scope,
    bindings: dict[str, Binding],
    inside: set[str],
) -> Seen | str:
    """The bound procedure, or why the call cannot be seen through."""
    if not isinstance(target, x.ProcedureRef):
        return "a call whose target is not known"
    procedure = table.procedures.get(target.id)
    if procedure is None or procedure.interface_only:
        return "a call of a procedure without source"
    if not is_pure(procedure):
        return f"a call of {procedure.name}, which is not pure: its side effects are unknown"
    if procedure.id in inside:
        return f"a recursive call of {procedure.name}"
    new: dict[str, Binding] = {}
    values: dict[str, Known] = {}
    for k, id in enumerate(procedure.dummies):
        actual = arguments[k] if k < len(arguments) else None
        if actual is None or id not in table.symbols:
            continue
        dummy = table.symbols[id]
        if rank_of(actual) and dummy.shape is None and "elemental" in procedure.prefixes:
            return f"an elemental call of {procedure.name} on arrays"
        if dummy.shape is None:
            values[id] = known_value(actual, scope)
        copied = "value" in dummy.attributes  # the dummy is a variable of its own
        place = place_of(actual, scope, table, bindings) if base_id(actual) is not None and not copied else None
        if place is not None:
            new[id] = _bound(place, actual, dummy, procedure, arguments, scope, table)
    return Seen(procedure, new, values)


def _bound(
    place: Place,
    actual: x.Expression,
    dummy: Symbol,
    procedure: Procedure,
    arguments: tuple[x.Expression | None, ...],
    scope: Scope,
    table: SymbolTable,
) -> Binding:
    subscripts = list(place.subscripts)
    moving = [k for k, v in enumerate(subscripts) if isinstance(v, Span1)]
    if dummy.shape is None:
        if not moving:
            return Binding(place, (), True)
        return Binding(place, (), rank_of(actual) == 0 and not moving)
    unknown = Binding(place, (), False)
    if rank_of(actual) != len(dummy.shape) or len(moving) != len(dummy.shape):
        return unknown  # sequence association, or a shape that is taken apart otherwise
    whole = isinstance(actual, (x.Ref, x.Component))
    for dim, k in enumerate(moving):
        v = subscripts[k]
        if isinstance(v, Span1) and v.lower is None:
            e = lower_bound(actual if whole else _array(actual), dim if whole else k, table)
            lower = to_affine(e, scope) if e is not None else _bound_parameter(actual, dim, k, whole, scope)
            subscripts[k] = Span1(lower, v.upper, v.step)
    open_: list[tuple[int, isl.PwAff | None]] = []
    for dim, (k, d) in enumerate(zip(moving, dummy.shape, strict=True)):
        lower = constant(1, scope.depth) if d.lower is None else to_affine(_in_caller(d.lower, procedure, arguments), scope)
        same = d.assumed or _same_extent(actual, dim, d, procedure, arguments, scope, table)
        if not same and not (whole and _may_assume_extent(actual, dim, d, procedure, arguments, scope)):
            if dim < len(dummy.shape) - 1:
                return unknown  # an explicit shape that may cut the storage differently
            v = subscripts[k]
            subscripts[k] = Span1(v.lower, None, v.step) if isinstance(v, Span1) else v  # it may end before the actual one
        open_.append((k, lower))
    return Binding(Place(place.path, tuple(subscripts)), tuple(open_), True)


def _may_assume_extent(
    actual: x.Expression, dim: int, d: Dimension, procedure: Procedure, arguments: tuple[x.Expression | None, ...],
    scope: Scope,
) -> bool:  # fmt: skip
    """Whether the host will check that an explicit dimension of a dummy has the extent of the actual argument's."""
    if not isinstance(d.upper, x.Expression):
        return False
    low, high = (_in_caller(e, procedure, arguments) for e in (d.lower or ONE, d.upper))
    size = x.IntrinsicCall("size", (actual, x.Literal(dim + 1, INTEGER)), INTEGER)
    return scope.assume(x.Binary("==", size, add_constant(minus(high, low), 1)))


def _array(e: x.Expression) -> x.Expression:
    return e.base if isinstance(e, x.Section) else e


def _bound_parameter(
    actual: x.Expression, dim: int, position: int, whole: bool, scope: Scope
) -> isl.PwAff | None:
    base = actual if whole else _array(actual)
    offset = dim if whole else position
    call = x.IntrinsicCall("lbound", (base, x.Literal(offset + 1, INTEGER)), INTEGER)
    return scope.parameters.affine(call, scope.depth) if scope.invariant(call) else None


def _in_caller(e: x.Expression, procedure: Procedure, arguments: tuple[x.Expression | None, ...]) -> x.Expression:
    """A specification expression of the callee with its dummies replaced by the actual arguments."""
    actual = dict(zip(procedure.dummies, arguments, strict=False))

    def replace(node: x.Expression) -> x.Expression:
        if isinstance(node, x.Ref):
            return actual.get(node.id) or node
        return node

    return map_expression(e, replace)


def _same_extent(
    actual: x.Expression,
    dim: int,
    d: object,
    procedure: Procedure,
    arguments: tuple[x.Expression | None, ...],
    scope: Scope,
    table: SymbolTable,
) -> bool:
    """Whether an explicit dimension of the dummy surely has the extent of the actual argument's."""
    upper = getattr(d, "upper", None)
    lower = getattr(d, "lower", None) or ONE
    known = dimensions_of(actual, table)
    if not isinstance(upper, x.Expression) or known is None:
        return False
    parts = [to_affine(e, scope) for e in (
        _in_caller(lower, procedure, arguments), _in_caller(upper, procedure, arguments), *known[dim]
    )]
    if any(p is None for p in parts):
        return False
    lo, hi, a, b = (p for p in parts if p is not None)
    return bool(hi.sub(lo).ne_set(b.sub(a)).is_empty())
