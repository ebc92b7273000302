"""From the launches of a time loop to rows: the row dimension of every array, sigma, and what a row weighs."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polystencil.analysis.definitions import Invariance, defined_in
from polystencil.analysis.storage import storage_class
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of
from polystencil.polyhedral.accesses import Access, LoopModel
from polystencil.polyhedral.designators import declared_shape
from polystencil.polyhedral.model import build_model
from polystencil.proofs.order import band_order, row_offsets
from polystencil.proofs.verdicts import Proven
from polystencil.transforms.skew_body import NotSkewed, TimeLoop

O = isl.dim_type.out


@dataclass(frozen=True)
class RowArray:
    """An array that the launches touch: its designator, the dimension (from 0) of its rows or None, bytes an element.

    `counts` is False for arrays that only loops kept for the last iteration touch.
    """

    array: x.Expression
    path: str
    row: int | None
    bytes: int
    counts: bool


@dataclass(frozen=True)
class Rows:
    """What skewing needs to know: sigma, the arrays, lower bounds (array, dimension) that must be 1, and conditions on
    shapes; the host checks both."""

    sigma: int
    arrays: tuple[RowArray, ...]
    lower_bounds: tuple[tuple[x.Expression, int], ...]
    conditions: tuple[x.Expression, ...]
    claim: str


def rows_of(loop: TimeLoop, procedure: Procedure, table: SymbolTable) -> Rows:
    """Rows and sigma of a time loop; NotSkewed where a write is not at its row or a read at no constant distance."""
    keeps = Invariance(table, defined_in((loop.nest[0],), table), procedure.id)
    conditions: list[x.Expression] = []

    def assume(condition: x.Expression) -> bool:
        if not keeps(condition):
            return False
        if condition not in conditions:
            conditions.append(condition)
        return True

    models = [(launch, build_model((launch,), table, procedure.id, assume=assume)) for launch in loop.launches]
    lower_bounds: dict[tuple[str, int], tuple[x.Expression, int]] = {}
    accesses: dict[str, list[tuple[Access, isl.Set | None, s.ParallelLoop]]] = {}
    for launch, model in models:
        if model.obstacles:
            raise NotSkewed(f"a launched loop cannot be followed: {model.obstacles[0].reason}")
        context = _ones(model, lower_bounds)
        for a in model.accesses:
            root = a.array.split("%", 1)[0]
            if a.private_depth or not a.may.dim(O) or not a.loops:
                continue
            if storage_class(a.array, table) != a.array:
                raise NotSkewed(f"{root.rsplit('.', 1)[-1]} may be reached through another name of its storage")
            accesses.setdefault(a.array, []).append((a, context, launch))
    sigma = 0
    arrays: list[RowArray] = []
    claims: list[tuple[Access, int]] = []
    for path, uses in accesses.items():
        written = [u for u in uses if u[0].is_write]
        row = _row_of_writes(path, written) if written else _row_of_reads(uses)
        if written and row is not None:
            for a, context, _ in uses:
                if a.is_write:
                    continue
                found = row_offsets(a, row, context)
                if found.low is None or found.high is None or a.why:
                    name = path.rsplit(".", 1)[-1]
                    raise NotSkewed(
                        f"a read of {name} is at no constant distance in rows from its loop's row (not affine, indirect, "
                        "wrapped, far or unknown: the distance ahead or behind is unbounded)"
                    )
                sigma = max(sigma, found.high, -found.low)
                claims.append((a, row))
        counts = any("keep" not in launch.directives for _, _, launch in uses)
        arrays.append(_weighed(uses[0][0], path, row, counts, table))
    sigma = max(1, sigma)
    context = None
    for path, uses in accesses.items():
        for a, c, _ in uses:
            pairs = [(b, r) for b, r in claims if b is a]
            verdict = band_order(sigma, pairs, c)
            if not isinstance(verdict, Proven):
                raise NotSkewed(f"the order of the bands is not proven for {path.rsplit('.', 1)[-1]}")
    return Rows(sigma, tuple(arrays), tuple(lower_bounds.values()), tuple(conditions), band_order(sigma, [], context).claim)


def _ones(model: LoopModel, found: dict[tuple[str, int], tuple[x.Expression, int]]) -> isl.Set | None:
    """Lower bounds that inlined subscripts are shifted by, assumed to be 1 and checked by the host."""
    context = None
    for name, e in model.parameters.expressions.items():
        if not (isinstance(e, x.IntrinsicCall) and e.name == "lbound" and e.arguments[0] is not None):
            continue
        dim = e.arguments[1]
        if not isinstance(dim, x.Literal) or not isinstance(e.arguments[0], x.Ref):
            continue
        found[repr(e.arguments[0]), int(dim.value)] = (e.arguments[0], int(dim.value))  # type: ignore[arg-type]  # an integer literal
        f = isl.Set(f"[{name}] -> {{ : {name} = 1 }}")
        context = f if context is None else context.intersect(f)
    return context


def _row_of_writes(path: str, uses: list[tuple[Access, isl.Set | None, s.ParallelLoop]]) -> int:
    rank = uses[0][0].may.dim(O)
    for dim in range(rank):
        if all(_exactly_row(a, dim, context) for a, context, _ in uses):
            return dim
    raise NotSkewed(
        f"{path.rsplit('.', 1)[-1]} is written at a subscript that is not the row, the outermost index of its loop"
    )


def _exactly_row(a: Access, dim: int, context: isl.Set | None) -> bool:
    if a.why:
        return False
    found = row_offsets(a, dim, context)
    return found.low == 0 and found.high == 0


def _row_of_reads(uses: list[tuple[Access, isl.Set | None, s.ParallelLoop]]) -> int | None:
    """The dimension along which reads of an array that nothing writes move with the row; None for flat arrays."""
    rank = uses[0][0].may.dim(O)
    for dim in reversed(range(rank)):
        found = [row_offsets(a, dim, context) for a, context, _ in uses if not a.why]
        if found and len(found) == len(uses) and all(f.low is not None and f.high is not None for f in found):
            return dim
    return None


def _weighed(a: Access, path: str, row: int | None, counts: bool, table: SymbolTable) -> RowArray:
    e = a.expression
    while isinstance(e, (x.Element, x.Section)):
        e = e.base
    root = path.split("%", 1)[0]
    if isinstance(e, x.Ref) and e.id != path and "%" not in path:
        e = x.Ref(path, e.type, len(table.symbols[path].shape or ()))  # seen through a call: the caller's array
    kind = type_of(e)
    size = kind.kind * (2 if kind.base == "complex" else 1) if isinstance(kind, Intrinsic) else 8
    if "%" in path and len(declared_shape(path, table) or ()) != getattr(e, "rank", 0):
        raise NotSkewed(f"{root.rsplit('.', 1)[-1]} holds arrays in elements of an array")
    return RowArray(e, path, row, size, counts)
