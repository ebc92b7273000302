"""From designators to storage paths with subscripts: `s%tr(m)%q(i, j)` is element (m, i, j) of `s%tr%q`.

Every subscript is one of: a function on the iterations, a range of them, or unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import islpy as isl

from polystencil.ir import expressions as x
from polystencil.ir.program import Dimension
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.types import Record
from polystencil.ir.typing import rank_of
from polystencil.polyhedral.affine import Scope, to_affine
from polystencil.polyhedral.parameters import lifted


@dataclass(frozen=True, eq=False)
class Span1:
    """The subscripts `lower : upper : step` of one dimension; None where a bound is not known."""

    lower: isl.PwAff | None
    upper: isl.PwAff | None
    step: int | None


Subscript: TypeAlias = "isl.PwAff | Span1 | None"


@dataclass(frozen=True, eq=False)
class Place:
    """A storage path and one subscript per dimension of the path."""

    path: str
    subscripts: tuple[Subscript, ...]


@dataclass(frozen=True, eq=False)
class Binding:
    """What a dummy argument stands for: storage of the caller.

    `place` holds the caller's subscripts; `open` lists the positions among them that the dummy's subscripts move
    along, with the dummy's lower bound; empty with `known` False when how they move is not known.
    """

    place: Place
    open: tuple[tuple[int, isl.PwAff | None], ...]
    known: bool


def place_of(e: x.Expression, scope: Scope, table: SymbolTable, bindings: dict[str, Binding]) -> Place | None:
    """The storage that a designator names; None for what is no designator."""
    match e:
        case x.Paren():
            return None
        case x.Ref():
            return _of_name(e, scope, bindings)
        case x.Component():
            base = place_of(e.base, scope, table, bindings)
            if base is None:
                return None
            return Place(f"{base.path}%{e.field}", base.subscripts + (Span1(None, None, 1),) * e.rank)
        case x.Element():
            base = place_of(e.base, scope, table, bindings)
            return None if base is None else _subscripted(base, e.base, e.indices, scope, bindings)
        case x.Section():
            base = place_of(e.base, scope, table, bindings)
            return None if base is None else _subscripted(base, e.base, e.subscripts, scope, bindings)
        case x.Substring():
            return place_of(e.base, scope, table, bindings)
        case _:
            return None


def _of_name(e: x.Ref, scope: Scope, bindings: dict[str, Binding]) -> Place:
    if e.id not in bindings:
        return Place(e.id, (Span1(None, None, 1),) * e.rank)
    binding = bindings[e.id]
    subscripts = [lift(v, scope.depth) for v in binding.place.subscripts]
    if not binding.known:  # from that element on, or within the section, however the dummy takes it apart
        return Place(binding.place.path, (None,) * len(subscripts))
    return Place(binding.place.path, tuple(subscripts))


def lift(v: Subscript, depth: int) -> Subscript:
    """A subscript on iterations of more loops."""
    if v is None:
        return None
    if isinstance(v, Span1):
        lower = None if v.lower is None else lifted(v.lower, depth)
        return Span1(lower, None if v.upper is None else lifted(v.upper, depth), v.step)
    return lifted(v, depth)


def _subscripted(
    base: Place,
    expression: x.Expression,
    given: tuple[x.Expression, ...],
    scope: Scope,
    bindings: dict[str, Binding],
) -> Place:
    """Put subscripts into the open dimensions of a place: the last ones, or those of a dummy's actual argument."""
    subscripts = list(base.subscripts)
    if isinstance(expression, x.Ref) and expression.id in bindings:
        binding = bindings[expression.id]
        if not binding.known or len(binding.open) != len(given):
            return Place(base.path, (None,) * len(subscripts))
        for (position, lower), g in zip(binding.open, given, strict=True):
            start = None if lower is None else lifted(lower, scope.depth)
            subscripts[position] = _moved(subscripts[position], start, subscript_of(g, scope))
        return Place(base.path, tuple(subscripts))
    first = len(subscripts) - len(given)
    if first < 0:
        return Place(base.path, (None,) * len(subscripts))
    for k, g in enumerate(given):
        subscripts[first + k] = subscript_of(g, scope)
    return Place(base.path, tuple(subscripts))


def subscript_of(e: x.Expression, scope: Scope) -> Subscript:
    """One subscript: an index, a range, or unknown (an index vector, or beyond isl)."""
    if isinstance(e, x.Range):
        step = 1
        if e.step is not None:
            from polystencil.polyhedral.parameters import constant_value

            f = to_affine(e.step, scope)
            value = None if f is None else constant_value(f)
            if value is None:
                return None
            step = value
        lower = None if e.lower is None else to_affine(e.lower, scope)
        upper = None if e.upper is None else to_affine(e.upper, scope)
        if (e.lower is not None and lower is None) or (e.upper is not None and upper is None):
            return None
        return Span1(lower, upper, step)
    return to_affine(e, scope) if rank_of(e) == 0 else None


def _moved(outer: Subscript, dummy_lower: isl.PwAff | None, inner: Subscript) -> Subscript:
    """The caller's subscript where the dummy (from `dummy_lower` on) is subscripted by `inner`."""
    if not isinstance(outer, Span1) or outer.lower is None or outer.step is None or dummy_lower is None:
        return None
    step = isl.Val(outer.step)

    def at(f: isl.PwAff) -> isl.PwAff:
        return outer.lower.add(f.sub(dummy_lower).scale_val(step))  # type: ignore[union-attr]  # checked above

    if isinstance(inner, Span1):
        if inner.step is None:
            return None
        lower = outer.lower if inner.lower is None else at(inner.lower)
        upper = outer.upper if inner.upper is None else at(inner.upper)
        return Span1(lower, upper, outer.step * inner.step)
    return None if inner is None else at(inner)


def relation(place: Place, depth: int) -> tuple[isl.Map, bool]:
    """The elements that a place names, per iteration, and whether that is exact."""
    space = isl.Space.alloc(isl.DEFAULT_CONTEXT, 0, depth, 0)
    out = isl.Map.universe(space)
    exact = True
    for v in place.subscripts:
        part, good = _dimension(v, depth)
        out = out.flat_range_product(part)
        exact &= good
    return out, exact


def _dimension(v: Subscript, depth: int) -> tuple[isl.Map, bool]:
    anything = isl.Map.universe(isl.Space.alloc(isl.DEFAULT_CONTEXT, 0, depth, 1))
    if v is None:
        return anything, False
    if not isinstance(v, Span1):
        return isl.Map.from_pw_aff(v), True
    if v.step is None or v.lower is None:
        return anything, False  # from a bound of the array on, which the caller may add
    # element e = lower + step * k, k >= 0, up to upper
    element = isl.PwAff.var_on_domain(
        isl.LocalSpace.from_space(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, depth + 1)), isl.dim_type.set, depth
    )
    low = lifted(v.lower, depth + 1)
    distance = element.sub(low)
    zero = distance.sub(distance)
    points = distance.ge_set(zero) if v.step > 0 else distance.le_set(zero)
    if v.upper is not None:
        high = lifted(v.upper, depth + 1)
        points = points.intersect(element.le_set(high) if v.step > 0 else element.ge_set(high))
    if abs(v.step) != 1:
        points = points.intersect(distance.mod_val(isl.Val(abs(v.step))).eq_set(zero))
    return to_map(points, depth), v.upper is not None


def to_map(points: isl.Set, depth: int) -> isl.Map:
    """`{[i..., e]}` as `{[i...] -> [e]}` for `depth` leading dimensions."""
    m = isl.Map.from_domain_and_range(
        isl.Set.universe(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, 0)), points
    )
    return m.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, depth)


def declared_shape(path: str, table: SymbolTable) -> tuple[Dimension, ...] | None:
    """The declared dimensions of a whole path, those of the parents first."""
    id, *fields = path.split("%")
    symbol = table.symbols.get(id)
    if symbol is None:
        return None
    out = symbol.shape or ()
    type_ = symbol.type
    for field in fields:
        definition = table.types.get(type_.id) if isinstance(type_, Record) else None
        component = next((c for c in definition.components if c.name == field), None) if definition else None
        if component is None:
            return None
        out += component.shape or ()
        type_ = component.type
    return out
