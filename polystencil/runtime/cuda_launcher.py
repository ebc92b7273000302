"""Launches of CUDA kernels, on a GPU or compiled for the host: packed arguments of which only the changed are written.

What differs between the two is in the device: addresses of arrays, compiled functions, the launch itself.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from polystencil.codegen.kernel import Kernel
from polystencil.runtime.cuda_arguments import argument_layout, fill
from polystencil.runtime.figures import array_figures, needs_64_bits

Constants = tuple[tuple[str, int], ...]
Sizes = tuple[int, int, int]
MOST_VARIANTS = 8
SPECIALISE_FROM = 4096


class CudaDevice(Protocol):
    """What a launcher needs of its device."""

    launches: int
    specialise: bool

    def locate(self, datas: list[Any]) -> tuple[list[int], tuple[int, ...]]:
        """Addresses for a kernel and positions (in elements) of the first elements behind them."""
        ...

    def function(self, kernel: Kernel, constants: Constants, long: bool) -> Any:
        """The compiled kernel with these figures fixed."""
        ...

    def before(self, kernel: Kernel, arrays: tuple[Any, ...]) -> None:
        """Bring what the kernel reads to where it runs, and note what it writes."""
        ...

    def start(self, function: Any, grid: Sizes, block: Sizes, arguments: bytearray) -> None:
        """Launch."""
        ...


class CudaLauncher:
    """Launches one kernel; remembers what it passed last."""

    def __init__(self, device: CudaDevice, kernel: Kernel) -> None:
        self.device, self.kernel = device, kernel
        self._variants: dict[Any, Any] = {}
        self._layouts = {long: argument_layout(kernel, long) for long in (False, True)}
        self._ranks = tuple(a.rank for a in kernel.arrays)
        self._bound: list[Any] = [None] * len(kernel.arrays)
        self._lowers: list[Any] = [None] * len(kernel.arrays)
        self._ranges: tuple[int, ...] | None = None
        self._buffer = bytearray()
        self._scalars: list[tuple[int, int, Any]] = []
        self._function: Any = None
        self._grid: Sizes = (1, 1, 1)
        self._block: Sizes = (1, 1, 1)

    def __call__(self, ranges: tuple[int, ...], arrays: tuple[Any, ...], scalars: tuple[Any, ...]) -> None:
        for n in ranges:
            if n <= 0:
                return
        changed = ranges != self._ranges
        bound, lowers = self._bound, self._lowers
        for k, array in enumerate(arrays):
            if self._ranks[k]:
                if array.data is not bound[k] or array.lower != lowers[k]:
                    changed = True
                    break
            elif array is not bound[k]:
                changed = True
                break
        device = self.device
        if changed:
            self._rebind(ranges, arrays)
        device.before(self.kernel, arrays)
        buffer = self._buffer
        for (first, last, dtype), value in zip(self._scalars, scalars, strict=True):
            buffer[first:last] = (value if value.__class__ is dtype else dtype(value)).tobytes()
        device.start(self._function, self._grid, self._block, buffer)
        device.launches += 1

    def _rebind(self, ranges: tuple[int, ...], arrays: tuple[Any, ...]) -> None:
        spec = self.kernel
        datas = [a.data if rank else a for a, rank in zip(arrays, self._ranks, strict=True)]
        pointers, origins = self.device.locate(datas)
        figures = array_figures(spec, arrays, origins)
        long = needs_64_bits(arrays, figures, ranges)
        self._function = self._variant(figures, long, ranges)
        layout = self._layouts[long]
        self._buffer = bytearray(max(layout.size, 1))
        self._scalars = []
        for p, slot in zip(spec.parameters, layout.slots, strict=True):
            if p.kind == "pointer":
                fill(self._buffer, slot, pointers[p.index])
            elif p.kind == "range":
                fill(self._buffer, slot, ranges[p.index])
            elif p.kind == "scalar":
                self._scalars.append((slot.offset, slot.offset + slot.size, np.dtype(p.dtype).type))
            else:
                fill(self._buffer, slot, figures[p.name])
        self._ranges = ranges
        self._bound = datas
        self._lowers = [a.lower if rank else None for a, rank in zip(arrays, self._ranks, strict=True)]
        self._grid, self._block = launch_shape(spec, ranges)

    def _variant(self, figures: dict[str, int], long: bool, ranges: tuple[int, ...]) -> Any:
        constants: Constants = tuple(
            (p.name, 1)
            for p in self.kernel.parameters
            if p.kind == "stride" and p.dimension == 0 and figures[p.name] == 1
        )
        if self.device.specialise and ranges and int(np.prod(ranges)) >= SPECIALISE_FROM:
            full = tuple(figures.items()) + tuple((f"n{k}", n) for k, n in enumerate(ranges))
            if (full, long) in self._variants or len(self._variants) < MOST_VARIANTS:
                constants = full
        key = (constants, long)
        if key not in self._variants:
            self._variants[key] = self.device.function(self.kernel, constants, long)
        return self._variants[key]


def launch_shape(kernel: Kernel, ranges: tuple[int, ...]) -> tuple[Sizes, Sizes]:
    """Blocks of the grid and threads of a block."""
    if kernel.serial:
        return (1, 1, 1), (1, 1, 1)
    sizes = list(ranges[:2])
    if len(ranges) > 2:
        sizes.append(int(np.prod(ranges[2:])))
    sizes += [1] * (3 - len(sizes))
    block = (*kernel.local_size, 1, 1, 1)[:3]
    grid = tuple(-(-n // size) for n, size in zip(sizes, block, strict=True))
    return grid, block  # type: ignore[return-value]  # three of each
