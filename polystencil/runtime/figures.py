"""The integers that a kernel gets about its arrays: offset, strides, lower bounds, extents; and whether 32 bits do."""

from __future__ import annotations

from typing import Any

from polystencil.codegen.kernel import Kernel

LIMIT_32 = 2**31 - 1


def array_figures(kernel: Kernel, arrays: tuple[Any, ...], origins: tuple[int, ...]) -> dict[str, int]:
    """Value of each offset, stride, lower and extent parameter; `origins` are positions inside of base buffers."""
    out: dict[str, int] = {}
    for p in kernel.parameters:
        if p.kind not in ("offset", "stride", "lower", "extent"):
            continue
        array = arrays[p.index]
        if kernel.arrays[p.index].rank == 0:
            out[p.name] = origins[p.index]
            continue
        data, lower = array.data, array.lower
        if p.kind == "stride":
            out[p.name] = (
                data.strides[p.dimension] // data.itemsize if data.shape[p.dimension] > 1 or p.dimension else 1
            )
        elif p.kind == "lower":
            out[p.name] = lower[p.dimension] if data.shape[p.dimension] else 1  # as lbound() has it
        elif p.kind == "extent":
            out[p.name] = data.shape[p.dimension]
        else:
            size = data.itemsize
            start = sum(low * (step // size) for low, step in zip(lower, data.strides, strict=True))
            if data.shape[0] == 1:  # its stride counts as 1, as above
                start += lower[0] * (1 - data.strides[0] // size)
            out[p.name] = origins[p.index] - start
    return out


def needs_64_bits(arrays: tuple[Any, ...], figures: dict[str, int], ranges: tuple[int, ...]) -> bool:
    """Whether a position in an array or a product of extents can pass 2**31 - 1."""
    if any(abs(v) > LIMIT_32 // 2 for v in figures.values()) or any(n > LIMIT_32 // 2 for n in ranges):
        return True
    for array in arrays:
        data = array.data if hasattr(array, "lower") else array
        if (
            data.size
            and sum(abs(s) * (n - 1) for s, n in zip(data.strides, data.shape, strict=True)) // data.itemsize
            > LIMIT_32 // 2
        ):
            return True
    return False
