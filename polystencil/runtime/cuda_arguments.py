"""The arguments of a CUDA kernel, packed as the driver takes them: each at a multiple of its own alignment.

The same bytes serve PyCUDA (`extra` of cuLaunchKernel) and kernels compiled for the host.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from polystencil.codegen.kernel import Kernel

_POINTER, _INDEX_32, _INDEX_64 = (8, 8, "Q"), (4, 4, "i"), (8, 8, "q")


@dataclass(frozen=True)
class Slot:
    """Place of one argument; `code` is a format of `struct`, empty for scalars, which come as NumPy values."""

    offset: int
    size: int
    code: str


@dataclass(frozen=True)
class ArgumentLayout:
    """Places of all arguments in the order of the parameters."""

    slots: tuple[Slot, ...]
    size: int


def argument_layout(kernel: Kernel, long: bool) -> ArgumentLayout:
    """Where each argument of a kernel stands, with 32- or 64-bit indices."""
    slots: list[Slot] = []
    position = 0
    for p in kernel.parameters:
        if p.kind == "pointer":
            size, align, code = _POINTER
        elif p.kind == "scalar":
            size = np.dtype(p.dtype).itemsize
            align, code = size, ""  # complex numbers are float2 and double2, aligned to their size
        else:
            size, align, code = _INDEX_64 if long else _INDEX_32
        position = -(-position // align) * align
        slots.append(Slot(position, size, code))
        position += size
    return ArgumentLayout(tuple(slots), position)


def fill(buffer: bytearray, slot: Slot, value: int) -> None:
    """Write a pointer or an index."""
    struct.pack_into(slot.code, buffer, slot.offset, value)
