"""CUDA through PyCUDA: one context, one stream, pooled memory, arrays that stay on the GPU until the host reads them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from polystencil.codegen.kernel import Kernel
from polystencil.errors import DeviceError
from polystencil.runtime.cuda_build import compile_cubin, unit_strides
from polystencil.runtime.cuda_context import choose, context_of, driver
from polystencil.runtime.cuda_launcher import Constants, CudaLauncher, Sizes
from polystencil.runtime.residency import Mirror, Residency

L2_DEFAULT = 4 << 20


class CudaResidency(Residency):
    """Mirrors of host arrays in pooled GPU memory; copies run in the stream of the launches."""

    def __init__(self, cuda: Any, stream: Any) -> None:
        from pycuda.tools import DeviceMemoryPool

        super().__init__(None, None, None)
        self._cuda, self._stream, self._pool = cuda, stream, DeviceMemoryPool()

    def mirror(self, data: Any) -> Mirror:
        """The mirror of the allocation that `data` is in."""
        return self._mirror(data)

    def bring_in(self, mirror: Mirror, discard: bool) -> None:
        """Upload what the host changed, unless all of it is overwritten."""
        self._bring_in(mirror, discard)

    def _allocate(self, size: int) -> Any:
        try:
            return self._pool.allocate(size)
        except self._cuda.MemoryError:
            self._pool.free_held()
        try:
            return self._pool.allocate(size)
        except self._cuda.MemoryError:
            free, total = self._cuda.mem_get_info()
            raise DeviceError(
                f"the GPU has no room for an array of {size} bytes: {free} of {total} bytes are free"
            ) from None

    def clear(self) -> None:
        """Forget all mirrors and free their memory."""
        self._mirrors.clear()
        self._held.clear()
        self._pool.stop_holding()

    def _copy(self, target: Any, source: Any) -> None:
        began = time.perf_counter()
        if isinstance(target, np.ndarray):
            self._cuda.memcpy_dtoh_async(target, int(source), self._stream)
            self._stream.synchronize()
        else:
            self._cuda.memcpy_htod_async(int(target), source, self._stream)  # returns when pageable memory is read
        self.seconds += time.perf_counter() - began


class CudaGpu:
    """One GPU."""

    def __init__(self, name: str | None = None, fp: str = "contract", timed: bool = False) -> None:
        self._cuda = cuda = driver()
        device = choose(cuda, name)
        self.context = context_of(cuda, device, self)
        self.stream = cuda.Stream()
        self.fp = fp
        self.name = f"CUDA: {device.name()}"
        self.is_cpu, self.launches = False, 0
        self.architecture = "sm_{}{}".format(*device.compute_capability())
        self._l2 = int(device.get_attribute(cuda.device_attribute.L2_CACHE_SIZE)) or L2_DEFAULT
        self.residency = CudaResidency(cuda, self.stream)
        self._pending, self._built = False, 0.0
        self._timed, self._kernel_seconds = timed, 0.0
        self._events: list[tuple[Any, Any]] = []
        self._waiting: list[Kernel] = []
        self._groups: dict[int, list[Kernel]] = {}
        self._modules: dict[Any, Any] = {}

    def close(self) -> None:
        """Give back all memory, while the context is there."""
        self.stream.synchronize()
        self.residency.clear()
        self._modules.clear()

    def bind(self, kernel: Kernel) -> CudaLauncher:
        if any(k.name == kernel.name for k in self._waiting):
            self._waiting = []  # another program
        self._waiting.append(kernel)
        self._groups[id(kernel)] = self._waiting
        return CudaLauncher(self, kernel)

    def wait(self) -> None:
        if self._pending:
            self._guard(self.stream.synchronize)
            self._pending = False
            self._kernel_seconds += sum(last.time_since(first) for first, last in self._events) * 1e-3
            self._events.clear()

    def reads(self, *variables: Any) -> None:
        self._guard(self.residency.reads, variables)

    def writes(self, *variables: Any) -> None:
        self._guard(self.residency.writes, variables)

    def up_to_date(self, value: Any) -> Any:
        self.reads(value)
        return value

    def finish(self) -> None:
        self._guard(self.residency.bring_all_back)
        self.wait()

    def given(self, *variables: Any) -> None:
        """Python passes these variables to a procedure."""
        self.residency.given(variables)

    def hold(self, arrays: tuple[Any, ...]) -> None:
        """Keep arrays on the GPU between calls from Python."""
        self.residency.hold(arrays)

    def release(self, arrays: tuple[Any, ...]) -> None:
        """Give arrays back to the host, up to date."""
        self._guard(self.residency.release, arrays)

    def figures(self) -> dict[str, float]:
        """Bytes copied, and seconds of copies, of compiling and (where they are timed) of kernels."""
        r = self.residency
        out = {"bytes_in": r.copied_in, "bytes_out": r.copied_out, "copies": r.seconds, "build": self._built}
        return {**out, "kernels": self._kernel_seconds} if self._timed else out

    def cache_bytes(self) -> int:
        return self._l2

    def tile_cores(self) -> tuple[int, int]:
        """Every launch fills the device."""
        return 0, 0

    def locate(self, datas: list[Any]) -> tuple[list[int], tuple[int, ...], list[Any]]:
        pairs = [self.residency.buffer(d) for d in datas]
        mirrors = [self.residency.mirror(d) for d in datas]
        return [int(buffer) for buffer, _ in pairs], tuple(origin for _, origin in pairs), mirrors

    def before(self, kernel: Kernel, mirrors: list[Any]) -> None:
        specs = kernel.arrays
        for k, mirror in enumerate(mirrors):
            if mirror.host_newer:
                self._guard(self.residency.bring_in, mirror, specs[k].whole)
        for k, mirror in enumerate(mirrors):
            if specs[k].written:
                mirror.device_newer = True

    def function(self, kernel: Kernel, constants: Constants, long: bool, flat: bool) -> Any:
        """From the module of the whole program where arrays are as usual, else from one of its own."""
        group = self._groups[id(kernel)]
        if group is self._waiting:
            self._waiting = []
        usual = constants == unit_strides(kernel) and not flat
        key = (id(group), long) if usual else (id(kernel), constants, long, flat)
        if key not in self._modules:
            members = [(k, unit_strides(k)) for k in group] if usual else [(kernel, constants)]
            began = time.perf_counter()
            code = compile_cubin(members, long, self.fp, self.architecture, flat)
            self._built += time.perf_counter() - began
            self._modules[key] = self._guard(self._cuda.module_from_buffer, code)
        return self._modules[key].get_function(kernel.name)

    def start(self, function: Any, grid: Sizes, block: Sizes, arguments: bytearray) -> None:
        try:
            if self._timed:
                first, last = self._cuda.Event(), self._cuda.Event()
                self._events.append((first, last))
                first.record(self.stream)
                function._launch_kernel(grid, block, arguments, 0, self.stream)
                last.record(self.stream)
            else:
                function._launch_kernel(grid, block, arguments, 0, self.stream)
        except self._cuda.Error as problem:
            raise DeviceError(f"{self.name}: a launch failed: {problem}") from None
        self._pending = True

    def _guard(self, action: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return action(*arguments)
        except self._cuda.Error as problem:
            raise DeviceError(
                f"{self.name}: {problem}", hint="compute-sanitizer shows which kernel accesses what is not there"
            ) from None
