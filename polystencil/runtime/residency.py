"""Arrays on devices with their own memory: which copy is the newer one, and copies only when somebody needs them.

Each base allocation of the host has at most one buffer. A launch uploads what the host changed and marks what it
writes; the host's reads bring back what the device changed.
"""

from __future__ import annotations

import time
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from polystencil.codegen.kernel import ArraySpec


@dataclass(eq=False)
class Mirror:
    """The buffer of one base allocation."""

    base: Any
    buffer: Any
    host_newer: bool = True
    device_newer: bool = False


def base_of(data: Any) -> Any:
    """The array that owns the memory of `data`."""
    while isinstance(data.base, np.ndarray):
        data = data.base
    return data


def ndarrays_in(variable: Any) -> list[Any]:
    """All ndarrays of a run-time value: arrays, records, cells."""
    if variable is None or isinstance(variable, (bytes, str)):
        return []
    if isinstance(variable, np.ndarray):
        return [a for cell in variable.flat for a in ndarrays_in(cell)] if variable.dtype == object else [variable]
    for attribute in ("data", "value", "target"):
        if hasattr(variable, attribute) and not isinstance(variable, np.generic):
            return ndarrays_in(getattr(variable, attribute))
    if hasattr(variable, "fields"):
        return [a for leaf in variable.fields.values() for a in ndarrays_in(leaf)]
    return []


class Residency:
    """All mirrors of one device."""

    def __init__(self, cl: Any, context: Any, queue: Any) -> None:
        self._cl, self._context, self._queue = cl, context, queue
        self._mirrors: dict[int, Mirror] = {}
        self._held: dict[int, Any] = {}
        self.copied_in = self.copied_out = 0
        self.seconds = 0.0

    def _mirror(self, data: Any) -> Mirror:
        base = base_of(data)
        known = self._mirrors.get(id(base))
        if known is not None and known.base() is base:
            return known
        size = max(base.nbytes, 1)
        buffer = self._allocate(size)
        key = id(base)
        mirror = Mirror(weakref.ref(base, lambda _: self._mirrors.pop(key, None)), buffer)
        self._mirrors[key] = mirror
        return mirror

    def buffer(self, data: Any) -> tuple[Any, int]:
        """The buffer that holds `data` and the position of its first element in it."""
        base = base_of(data)
        distance = data.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        return self._mirror(data).buffer, distance // max(data.itemsize, 1)

    def before_launch(self, specs: tuple[ArraySpec, ...], arrays: tuple[Any, ...]) -> None:
        for spec, array in zip(specs, arrays, strict=True):
            mirror = self._mirror(array.data if spec.rank else array)
            if mirror.host_newer:
                self._bring_in(mirror, discard=spec.whole)
        for spec, array in zip(specs, arrays, strict=True):
            if spec.written:
                self._mirror(array.data if spec.rank else array).device_newer = True

    def reads(self, variables: tuple[Any, ...]) -> None:
        for variable in variables:
            for data in ndarrays_in(variable):
                known = self._mirrors.get(id(base_of(data)))
                if known is not None and known.device_newer:
                    self._bring_back(known)

    def writes(self, variables: tuple[Any, ...]) -> None:
        self.reads(variables)
        for variable in variables:
            for data in ndarrays_in(variable):
                known = self._mirrors.get(id(base_of(data)))
                if known is not None:
                    known.host_newer = True

    def bring_all_back(self) -> None:
        for key, mirror in list(self._mirrors.items()):
            if mirror.device_newer and key not in self._held:
                self._bring_back(mirror)

    def hold(self, arrays: tuple[Any, ...]) -> None:
        """From now on these arrays belong to the device: calls from Python neither upload nor fetch them."""
        for array in arrays:
            base = base_of(array)
            self._held[id(base)] = base

    def release(self, arrays: tuple[Any, ...]) -> None:
        """The arrays belong to the host again and are up to date there."""
        self.reads(arrays)
        for array in arrays:
            self._held.pop(id(base_of(array)), None)
            known = self._mirrors.get(id(base_of(array)))
            if known is not None:
                known.host_newer = True

    def given(self, variables: tuple[Any, ...]) -> None:
        """A caller from Python passes these variables and may have changed those that it does not let us hold."""
        for variable in variables:
            for data in ndarrays_in(variable):
                key = id(base_of(data))
                if key in self._mirrors and key not in self._held:
                    self._mirrors[key].host_newer = True

    def _bring_in(self, mirror: Mirror, discard: bool) -> None:
        base = mirror.base()
        if base is not None and base.nbytes and not discard:
            self._copy(mirror.buffer, _bytes(base))
            self.copied_in += base.nbytes
        mirror.host_newer = False

    def _bring_back(self, mirror: Mirror) -> None:
        base = mirror.base()
        if base is not None and base.nbytes:
            self._copy(_bytes(base), mirror.buffer)
            self.copied_out += base.nbytes
        mirror.device_newer = False

    def _allocate(self, size: int) -> Any:
        return self._cl.Buffer(self._context, self._cl.mem_flags.READ_WRITE, size)

    def _copy(self, target: Any, source: Any) -> None:
        if (target.nbytes if isinstance(target, np.ndarray) else target.size) and getattr(source, "nbytes", 1):
            began = time.perf_counter()
            self._cl.enqueue_copy(self._queue, target, source, is_blocking=True)
            self.seconds += time.perf_counter() - began


def _bytes(base: Any) -> Any:
    """The memory of a base allocation as bytes."""
    flat = base.reshape(-1, order="A") if base.flags.f_contiguous or base.flags.c_contiguous else base.ravel(order="K")
    return flat.view(np.uint8)
