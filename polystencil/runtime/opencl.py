"""OpenCL through PyOpenCL: choice of the device, building kernels, launching them.

On CPU devices that can read host memory (PoCL) the arrays of the host program are used where they are: the kernel gets
their addresses. On other devices they live in buffers (`residency`).
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from polystencil.codegen.kernel import Kernel
from polystencil.errors import DeviceError
from polystencil.runtime.cpu_cache import core_cache_bytes, last_level_cache_bytes
from polystencil.runtime.figures import array_figures, needs_64_bits
from polystencil.runtime.opencl_choice import choose_device
from polystencil.runtime.pocl_cpu import vector_options
from polystencil.runtime.residency import Residency

MOST_VARIANTS = 8
MOST_WAITING = 4096  # a queue without end would only cost memory
SPECIALISE_FROM = 4096


class OpenCLDevice:
    """One OpenCL device with one in-order queue."""

    def __init__(
        self, name: str | None = None, fp: str = "contract", specialise: bool = True, copying: bool | None = None,
        timed: bool = False,
    ) -> None:  # fmt: skip
        import pyopencl as cl

        self._cl = cl
        self.device = choose_device(name)
        self.context = cl.Context([self.device])
        if timed:
            self.queue = cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
        else:
            self.queue = cl.CommandQueue(self.context)
        self.timed = timed
        self.build_seconds = self.kernel_seconds = 0.0
        self._events: list[Any] = []
        self.after_wait: Callable[[], None] = _nothing  # looks at what kernels noted, where it is in reach
        self.name = f"{self.device.platform.name.strip()}: {self.device.name.strip()}"
        self.is_cpu = bool(self.device.type & cl.device_type.CPU)
        if "Portable Computing" in self.device.platform.name and shutil.which("ld") is None:
            raise DeviceError("PoCL links each kernel with `ld`, which is not on the PATH", hint="install binutils")
        in_place = self.is_cpu and "Portable Computing" in self.device.platform.name
        self.in_place = in_place if copying is None else in_place and not copying
        self.specialise = specialise
        self.fp = fp
        self.launches = 0
        self.pending = False
        self.alive: list[Any] = []
        self.residency = None if self.in_place else Residency(cl, self.context, self.queue)
        self.options = _build_options(self.device, fp) + (vector_options() if in_place else [])
        self._math: dict[str, np.uint64] = {}

    def bind(self, kernel: Kernel) -> Launcher:
        return Launcher(self, kernel)

    def wait(self) -> None:
        if self.pending:
            self.queue.finish()
            self.pending = False
            self.alive.clear()
            for event in self._events:
                self.kernel_seconds += 1e-9 * (event.profile.end - event.profile.start)
            self._events.clear()
            if self.in_place:
                self.after_wait()

    def reads(self, *variables: Any) -> None:
        if self.residency is None:
            if self.pending:
                self.wait()
        else:
            self.residency.reads(variables)

    def writes(self, *variables: Any) -> None:
        if self.residency is None:
            if self.pending:
                self.wait()
        else:
            self.residency.writes(variables)

    def up_to_date(self, value: Any) -> Any:
        """`value`, when all that pending launches do to it is done."""
        self.reads(value)
        return value

    def finish(self) -> None:
        if self.residency is not None:
            self.residency.bring_all_back()
        self.wait()

    def cache_bytes(self) -> int:
        if self.is_cpu:
            return last_level_cache_bytes()
        return int(self.device.global_mem_cache_size) or 1 << 20

    def tile_cores(self) -> tuple[int, int]:
        """Cores that run a tile each, and the bytes of a core's own cache; (0, 0) where launches fill the device."""
        if not (self.is_cpu and self.in_place):
            return 0, 0
        return int(self.device.max_compute_units), core_cache_bytes()

    def math_address(self, function: str) -> np.uint64:
        """The address of a function of the C library, for strict kernels."""
        if function not in self._math:
            library = ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")
            self._math[function] = np.uint64(ctypes.cast(getattr(library, function), ctypes.c_void_p).value or 0)
        return self._math[function]

    def build(self, kernel: Kernel, text: str) -> Any:
        """The built kernel object."""
        began = time.perf_counter()
        try:
            try:
                program = self._cl.Program(self.context, text).build(self.options)
            except self._cl.Error:
                # two processes that build one kernel at a time can trip over each other in the compiler's cache
                program = self._cl.Program(self.context, text).build(self.options)
            return getattr(program, kernel.name)
        except self._cl.Error as problem:
            log = "\n".join(str(problem).strip().splitlines()[:12])
            excerpt = "\n".join(f"{k:>4} {line}" for k, line in enumerate(text.splitlines(), 1))
            where = os.environ.get("POLYSTENCIL_SHOW_KERNEL")
            source = excerpt if where else "\n".join(excerpt.splitlines()[-40:])
            raise DeviceError(
                f"{self.name} does not build kernel {kernel.name}: {log}\n{source}", kernel.span,
                hint="set POLYSTENCIL_SHOW_KERNEL=1 to see the whole kernel",
            ) from None  # fmt: skip
        finally:
            self.build_seconds += time.perf_counter() - began

    def figures(self) -> dict[str, float]:
        """Seconds of building, of kernels (where they are timed) and of copies; bytes that were copied."""
        r = self.residency
        copied = (0.0, 0, 0) if r is None else (r.seconds, r.copied_in, r.copied_out)
        return {
            "build": self.build_seconds, "kernels": self.kernel_seconds, "copies": copied[0],
            "bytes_in": copied[1], "bytes_out": copied[2],
        }  # fmt: skip


def _nothing() -> None:
    """There is nothing to look at."""


def _build_options(device: Any, fp: str) -> list[str]:
    out = []
    if fp == "strict":
        import pyopencl as cl

        if device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT:
            out.append("-cl-fp32-correctly-rounded-divide-sqrt")
    elif fp == "fast":
        out.append("-cl-fast-relaxed-math")
    return out


class Launcher:
    """Launches one kernel; remembers what it passed last and sets only what changed."""

    def __init__(self, device: OpenCLDevice, kernel: Kernel) -> None:
        self.device, self.kernel = device, kernel
        self._variants: dict[Any, Any] = {}
        self._current: Any = None
        self._ranges: tuple[int, ...] | None = None
        self._bound: list[Any] = [None] * len(kernel.arrays)
        self._lowers: list[Any] = [None] * len(kernel.arrays)
        self._ranks = tuple(a.rank for a in kernel.arrays)
        self._scalars = tuple(
            (k, np.dtype(p.dtype).type) for k, p in enumerate(kernel.parameters) if p.kind == "scalar"
        )
        self._global: tuple[int, ...] = (1,)
        self._local: tuple[int, ...] = (1,)
        self._enqueue = device._cl.enqueue_nd_range_kernel

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
        if device.residency is not None:
            device.residency.before_launch(self.kernel.arrays, arrays)
        kernel = self._current
        for (position, dtype), value in zip(self._scalars, scalars, strict=True):
            kernel._set_arg_buf(position, value if value.__class__ is dtype else dtype(value))
        event = self._enqueue(device.queue, kernel, self._global, self._local)
        if device.timed:
            device._events.append(event)
        device.pending = True
        device.launches += 1
        if device.launches % MOST_WAITING == 0:
            device.wait()

    def _rebind(self, ranges: tuple[int, ...], arrays: tuple[Any, ...]) -> None:
        device, spec = self.device, self.kernel
        if device.pending:
            device.alive += self._bound  # what pending launches use must not be freed
        datas = [a.data if rank else a for a, rank in zip(arrays, self._ranks, strict=True)]
        if device.residency is None:
            pointers = [self._address(d) for d in datas]
            origins = (0,) * len(datas)
        else:
            pairs = [device.residency.buffer(d) for d in datas]
            pointers, origins = [p for p, _ in pairs], tuple(o for _, o in pairs)
        figures = array_figures(spec, arrays, origins)
        long = needs_64_bits(arrays, figures, ranges)
        kernel = self._variant(figures, long, ranges)
        integer = np.int64 if long else np.int32
        for position, p in enumerate(spec.parameters):
            if p.kind == "pointer":
                kernel.set_arg(position, pointers[p.index])
            elif p.kind == "range":
                kernel._set_arg_buf(position, integer(ranges[p.index]))
            elif p.kind == "math":
                kernel._set_arg_buf(position, device.math_address(p.dtype))
            elif p.kind != "scalar":
                kernel._set_arg_buf(position, integer(figures[p.name]))
        self._current = kernel
        self._ranges = ranges
        self._bound = datas
        self._lowers = [a.lower if rank else None for a, rank in zip(arrays, self._ranks, strict=True)]
        self._global, self._local = grid(spec, ranges)

    def _variant(self, figures: dict[str, int], long: bool, ranges: tuple[int, ...]) -> Any:
        units = tuple(
            (p.name, 1)
            for p in self.kernel.parameters
            if p.kind == "stride" and p.dimension == 0 and figures[p.name] == 1
        )
        constants: tuple[tuple[str, int], ...] = units
        cells = int(np.prod(ranges)) if ranges else 0
        if self.device.specialise and cells >= SPECIALISE_FROM:
            full = tuple(figures.items()) + tuple((f"n{k}", n) for k, n in enumerate(ranges))
            if (full, long) in self._variants or len(self._variants) < MOST_VARIANTS:
                constants = full
        key = (constants, long)
        if key not in self._variants:
            self._variants[key] = self.device.build(self.kernel, self.kernel.text(constants, long))
        return self._variants[key]

    def _address(self, data: Any) -> Any:
        cl = self.device._cl
        if data.size == 0:
            return cl.SVM(np.zeros(1, data.dtype))
        if data.flags.c_contiguous or data.flags.f_contiguous:
            return cl.SVM(data if data.flags.writeable else _writable_view(data))
        first = data[(0,) * (data.ndim - 1) + (slice(0, 1),)]
        return cl.SVM(first)


def _writable_view(data: Any) -> Any:
    """The same memory for a kernel that only reads it; OpenCL asks for writable memory all the same."""
    pointer = (ctypes.c_char * data.nbytes).from_address(data.ctypes.data)
    return np.frombuffer(pointer, np.uint8)


def grid(kernel: Kernel, ranges: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Global and local size of a launch."""
    if kernel.serial:
        return (1,), (1,)
    sizes = list(ranges[:2])
    if len(ranges) > 2:
        sizes.append(int(np.prod(ranges[2:])))
    local = list(kernel.local_size) + [1] * (len(sizes) - len(kernel.local_size))
    return tuple(-(-n // size) * size for n, size in zip(sizes, local, strict=True)), tuple(local)
