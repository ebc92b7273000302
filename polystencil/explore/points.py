"""From isl sets and relations to points, for chosen parameter values, capped in number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import islpy as isl

from polystencil.errors import UsageError
from polystencil.proofs.samples import point_values

MOST_POINTS = 4000
P, I, O, S = isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out, isl.dim_type.set


@dataclass(frozen=True)
class Points:
    """Points, and whether there are more than could be taken."""

    values: tuple[tuple[int, ...], ...]
    capped: bool


def _with_values(s: isl.Set, parameters: Mapping[str, int]) -> isl.Set:
    for k in range(s.dim(P)):
        name = s.get_dim_name(P, k)
        if name not in parameters:
            raise UsageError(f"give a value for the parameter {name}", hint=f"parameters={{'{name}': 8}}")
        s = s.fix_val(P, k, isl.Val(int(parameters[name])))
    return s


def points_of(s: isl.Set, parameters: Mapping[str, int], most: int = MOST_POINTS) -> Points:
    """The points of a set for given parameter values; parameters it does not name are not needed."""
    s = _with_values(s, parameters)
    if not s.is_bounded():
        raise UsageError("the set is not bounded for these parameter values")
    out: list[tuple[int, ...]] = []

    def take(p: isl.Point) -> None:
        if len(out) > most:
            raise StopIteration
        out.append(point_values(p))

    try:
        s.foreach_point(take)
    except (StopIteration, isl.Error):
        if len(out) <= most:
            raise
    return Points(tuple(sorted(out[:most])), len(out) > most)


def pairs_of(
    m: isl.Map, parameters: Mapping[str, int], most: int = MOST_POINTS
) -> tuple[list[tuple[tuple[int, ...], tuple[int, ...]]], bool]:
    """The pairs of a relation for given parameter values."""
    found = points_of(m.wrap().flatten(), parameters, most)
    cut = m.dim(I)
    return [(v[:cut], v[cut:]) for v in found.values], found.capped
