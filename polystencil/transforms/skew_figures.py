"""What the remark of a skewed loop says: sigma, and where all calls pass the same sizes rows and iterations of a band."""

from __future__ import annotations

from polystencil.analysis.call_values import usual_actuals, usual_extents, usual_values
from polystencil.ir import expressions as x
from polystencil.ir.building import integer, minus, plus
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_expression
from polystencil.polyhedral.affine import Scope, to_affine
from polystencil.polyhedral.bounds import dimensions_of
from polystencil.polyhedral.parameters import Parameters, constant_value
from polystencil.transforms.skew_bands import LEAST_ROWS, LEAST_STEPS, MOST_STEPS
from polystencil.transforms.skew_placement import CACHE_SHARE
from polystencil.transforms.skew_rows import Rows


def band_figures(rows: Rows, cache: int, least: int, table: SymbolTable) -> dict[str, object]:
    """sigma, and rows and iterations of a band where all calls in the program pass the same sizes."""
    out: dict[str, object] = {"sigma": rows.sigma, "cache_bytes": cache}
    total, flat, per_row = 0, 0, 0
    for a in rows.arrays:
        if not a.counts:
            continue
        extents = _extents(a.array, table)
        if extents is None:
            return out
        size = a.bytes
        for e in extents:
            size *= e
        total += size
        if a.row is None:
            flat += size
        else:
            per_row += size // max(1, extents[a.row])
    height = max(LEAST_ROWS, (cache * CACHE_SHARE[0] // CACHE_SHARE[1] - flat) // max(1, per_row))
    steps = max(LEAST_STEPS, min(MOST_STEPS, height // (2 * rows.sigma)))
    out["array_bytes"] = total
    out["params"] = {"sigma": rows.sigma, "R": height, "s": steps}
    out["runtime_choice"] = "transformed" if total > least else "original"
    return out


def _extents(array: x.Expression, table: SymbolTable) -> list[int] | None:
    known = dimensions_of(array, table)
    usual = usual_actuals(table)
    while known is None and isinstance(array, x.Ref) and array.id in usual:
        array = usual.pop(array.id)
        known = dimensions_of(array, table)
    if known is None:
        return usual_extents(array, table) if isinstance(array, x.Ref) else None
    out = []
    for low, high in known:
        value = _usual(plus(minus(high, low), integer(1)), table)
        if value is None:
            return None
        out.append(max(0, value))
    return out


def _usual(e: x.Expression, table: SymbolTable) -> int | None:
    usual = usual_values(table)

    def known(n: x.Expression) -> x.Expression:
        return integer(usual[n.id], n.type) if isinstance(n, x.Ref) and n.id in usual else n

    f = to_affine(map_expression(e, known), Scope(Parameters(), lambda _: False))
    return None if f is None else constant_value(f.coalesce())
