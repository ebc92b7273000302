"""What a declaration alone tells of a variable's storage: a first stride of 1, a shape of constants."""

from __future__ import annotations

from polystencil.codegen.array_elements import value_of
from polystencil.ir.program import Symbol


def has_unit_stride(symbol: Symbol) -> bool:
    """Whether the first stride of a variable is 1 whatever happens at run time."""
    if "pointer" in symbol.attributes and "contiguous" not in symbol.attributes:
        return False
    assumed = symbol.shape is not None and any(d.assumed for d in symbol.shape)
    return not assumed or bool(symbol.attributes & {"contiguous", "allocatable"})


def constant_shape(symbol: Symbol) -> tuple[tuple[int, int], ...] | None:
    """(lower, extent) of each dimension of a variable that owns storage of a constant shape."""
    if symbol.shape is None or symbol.block is not None or symbol.attributes & {"allocatable", "pointer", "dummy"}:
        return None
    out = []
    for dimension in symbol.shape:
        low = 1 if dimension.lower is None else value_of(dimension.lower)
        high = None if dimension.upper is None or isinstance(dimension.upper, str) else value_of(dimension.upper)
        if low is None or high is None or high < low:
            return None
        out.append((low, high - low + 1))
    return tuple(out)
