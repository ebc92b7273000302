"""From a non-empty relation to one point of it, with the values of the parameters."""

from __future__ import annotations

import islpy as isl

P, I, O, S = isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out, isl.dim_type.set


def sample_pair(
    m: isl.Map, preferred: dict[str, int] | None = None
) -> tuple[dict[str, int], tuple[int, ...], tuple[int, ...]] | None:
    """Parameter values, an input and an output of a relation; None for an empty one.

    Parameters in `preferred` have those values.
    """
    if preferred:
        m = fixed(m, preferred, ())
    names = [m.get_dim_name(P, k) for k in range(m.dim(P))]
    points = m.wrap().flatten()
    points = points.move_dims(S, 0, P, 0, len(names))
    inputs, outputs = m.dim(I), m.dim(O)
    for limit in (16, 64, None):
        tried = points
        if limit is not None:
            for k in range(len(names)):
                tried = tried.lower_bound_val(S, k, isl.Val(-limit)).upper_bound_val(S, k, isl.Val(limit))
        if not tried.is_empty():
            values = point_values(tried.sample_point())
            cut = len(names) + inputs
            return dict(zip(names, values, strict=False)), values[len(names) : cut], values[cut : cut + outputs]
    return None


def sample_set(s: isl.Set) -> tuple[dict[str, int], tuple[int, ...]] | None:
    """Parameter values and a point of a set; None for an empty one."""
    pair = sample_pair(isl.Map.from_domain(s))
    return None if pair is None else (pair[0], pair[1])


def point_values(p: isl.Point) -> tuple[int, ...]:
    """The coordinates of a point."""
    n = p.get_space().dim(S)
    return tuple(int(p.get_coordinate_val(S, k).to_python()) for k in range(n))


def fixed(m: isl.Map, parameters: dict[str, int], inputs: tuple[int, ...]) -> isl.Map:
    """`m` for one input and one choice of parameters."""
    for k in range(m.dim(P)):
        name = m.get_dim_name(P, k)
        if name in parameters:
            m = m.fix_val(P, k, isl.Val(parameters[name]))
    for k, value in enumerate(inputs):
        m = m.fix_val(I, k, isl.Val(value))
    return m
