"""Launches of CUDA kernels, on a GPU or compiled for the host: packed arguments of which only the changed are written.

What differs between the two is in the device: addresses of arrays, compiled functions, the launch itself.
"""

from __future__ import annotations

import weakref
from typing import Any, Protocol

import numpy as np

from polystencil.codegen.kernel import Kernel
from polystencil.runtime.cuda_arguments import argument_layout, fill
from polystencil.runtime.figures import LIMIT_32, array_figures, needs_64_bits

Constants = tuple[tuple[str, int], ...]
Sizes = tuple[int, int, int]
MOST_BINDINGS = 8
LARGEST_GRID_YZ = 65535  # blocks in y and z; x takes 2**31 - 1


class CudaDevice(Protocol):
    """What a launcher needs of its device."""

    launches: int

    def locate(self, datas: list[Any]) -> tuple[list[int], tuple[int, ...], list[Any]]:
        """Addresses for a kernel, positions (in elements) of the first elements behind them, and mirrors."""
        ...

    def function(self, kernel: Kernel, constants: Constants, long: bool, flat: bool) -> Any:
        """The compiled kernel with these figures fixed; `flat`: for a grid of one dimension."""
        ...

    def before(self, kernel: Kernel, mirrors: list[Any]) -> None:
        """Bring what the kernel reads to where it runs, and note what it writes."""
        ...

    def start(self, function: Any, grid: Sizes, block: Sizes, arguments: bytearray) -> None:
        """Launch."""
        ...


class Binding:
    """A kernel with its arrays: compiled function and packed arguments. Arrays are not kept alive."""

    __slots__ = (
        "block",
        "buffer",
        "constants",
        "flat",
        "function",
        "grid",
        "long",
        "lowers",
        "mirrors",
        "places",
        "ranges",
        "references",
        "scalars",
    )

    def __init__(
        self, device: CudaDevice, kernel: Kernel, arrays: tuple[Any, ...], datas: list[Any], long: bool
    ) -> None:
        pointers, origins, self.mirrors = device.locate(datas)
        figures = array_figures(kernel, arrays, origins)
        self.long = long or needs_64_bits(arrays, figures, ())
        self.constants = tuple(
            (p.name, 1) for p in kernel.parameters if p.kind == "stride" and p.dimension == 0 and figures[p.name] == 1
        )
        self.function = device.function(kernel, self.constants, self.long, False)
        layout = argument_layout(kernel, self.long)
        self.buffer = bytearray(layout.size)
        self.scalars: list[tuple[int, int, Any]] = []
        self.places: list[Any] = [None] * kernel.ranges
        for p, slot in zip(kernel.parameters, layout.slots, strict=True):
            if p.kind == "pointer":
                fill(self.buffer, slot, pointers[p.index])
            elif p.kind == "range":
                self.places[p.index] = slot
            elif p.kind == "scalar":
                self.scalars.append((slot.offset, slot.offset + slot.size, np.dtype(p.dtype).type))
            else:
                fill(self.buffer, slot, figures[p.name])
        self.lowers = tuple(a.lower if spec.rank else None for a, spec in zip(arrays, kernel.arrays, strict=True))
        self.references: tuple[Any, ...] = ()
        self.ranges: tuple[int, ...] | None = None
        self.flat = False
        self.grid: Sizes = (1, 1, 1)
        self.block: Sizes = (1, 1, 1)

    def set_ranges(self, device: CudaDevice, kernel: Kernel, ranges: tuple[int, ...]) -> None:
        """Take other extents."""
        for slot, n in zip(self.places, ranges, strict=True):
            if slot is not None:
                fill(self.buffer, slot, n)
        self.ranges = ranges
        self.grid, self.block = launch_shape(kernel, ranges)
        flat = max(self.grid[1:]) > LARGEST_GRID_YZ
        if flat is not self.flat:
            self.function, self.flat = device.function(kernel, self.constants, self.long, flat), flat
        if flat:
            x, y, z = self.grid
            self.grid = (x * y * z, 1, 1)


class CudaLauncher:
    """Launches one kernel; remembers bindings, so that buffers used in turn cost nothing."""

    def __init__(self, device: CudaDevice, kernel: Kernel) -> None:
        self.device, self.kernel = device, kernel
        self._ranks = tuple(a.rank for a in kernel.arrays)
        self._bindings: dict[tuple[int, ...], Binding] = {}
        self._current: Binding | None = None

    def __call__(self, ranges: tuple[int, ...], arrays: tuple[Any, ...], scalars: tuple[Any, ...]) -> None:
        for n in ranges:
            if n <= 0:
                return
        binding = self._current
        if binding is None or not self._holds(binding, arrays):
            datas = [a.data if rank else a for a, rank in zip(arrays, self._ranks, strict=True)]
            binding = self._bindings.get(tuple(map(id, datas)))
            if binding is None or not self._holds(binding, arrays):
                binding = self._bind(arrays, datas, ranges)
            self._current = binding
        if ranges != binding.ranges:
            if not binding.long and max(ranges, default=0) > LIMIT_32 // 2:
                datas = [a.data if rank else a for a, rank in zip(arrays, self._ranks, strict=True)]
                self._current = binding = self._bind(arrays, datas, ranges)
            binding.set_ranges(self.device, self.kernel, ranges)
        device = self.device
        device.before(self.kernel, binding.mirrors)
        buffer = binding.buffer
        for (first, last, dtype), value in zip(binding.scalars, scalars, strict=True):
            buffer[first:last] = (value if value.__class__ is dtype else dtype(value)).tobytes()
        device.start(binding.function, binding.grid, binding.block, buffer)
        device.launches += 1

    def _holds(self, binding: Binding, arrays: tuple[Any, ...]) -> bool:
        for array, reference, lower in zip(arrays, binding.references, binding.lowers, strict=True):
            if lower is None:
                if reference() is not array:
                    return False
            elif reference() is not array.data or array.lower != lower:
                return False
        return True

    def _bind(self, arrays: tuple[Any, ...], datas: list[Any], ranges: tuple[int, ...]) -> Binding:
        if len(self._bindings) >= MOST_BINDINGS:
            self._bindings.clear()
        binding = Binding(self.device, self.kernel, arrays, datas, any(n > LIMIT_32 // 2 for n in ranges))
        key = tuple(map(id, datas))

        def drop(_: Any) -> None:
            """An array is gone: so is what was made for it, and its memory on the device."""
            if self._bindings.get(key) is binding:
                del self._bindings[key]
            if self._current is binding:
                self._current = None

        binding.references = tuple(weakref.ref(d, drop) for d in datas)
        self._bindings[key] = binding
        return binding


def launch_shape(kernel: Kernel, ranges: tuple[int, ...]) -> tuple[Sizes, Sizes]:
    """Blocks of the grid and threads of a block."""
    if kernel.serial:
        return (1, 1, 1), (1, 1, 1)
    sizes = list(ranges[:2])
    if len(ranges) > 2:
        rest = 1
        for n in ranges[2:]:
            rest *= n
        sizes.append(rest)
    sizes += [1] * (3 - len(sizes))
    block = (*kernel.local_size, 1, 1, 1)[:3]
    grid = tuple(-(-n // size) for n, size in zip(sizes, block, strict=True))
    return grid, block  # type: ignore[return-value]  # three of each
