"""What the host program needs of a device: a handful of operations, the same for OpenCL, CUDA and CUDA on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from polystencil.codegen.kernel import Kernel

LaunchFunction = Callable[[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]], None]


class Device(Protocol):
    """A device and its one in-order queue.

    Generated host code calls `wait`, `reads` and `writes` before it touches arrays itself, and the functions that
    `bind` gives to launch kernels: ranges (extents), arrays (0-d ndarrays or Array) and scalars (NumPy scalars).
    """

    name: str
    is_cpu: bool
    launches: int

    def bind(self, kernel: Kernel) -> LaunchFunction:
        """The function that launches a kernel; the kernel is built at its first launch."""
        ...

    def wait(self) -> None:
        """Return when all launches are done."""
        ...

    def reads(self, *variables: Any) -> None:
        """The host is about to read these variables."""
        ...

    def writes(self, *variables: Any) -> None:
        """The host is about to change (parts of) these variables."""
        ...

    def up_to_date(self, value: Any) -> Any:
        """`value`, when all that pending launches do to it is done."""
        ...

    def finish(self) -> None:
        """All launches are done and all arrays of the host are up to date."""
        ...

    def cache_bytes(self) -> int:
        """The cache that blocks of rows should fit into."""
        ...

    def tile_cores(self) -> tuple[int, int]:
        """Cores that run a tile of rows each, and the bytes of a core's own cache; (0, 0) where launches fill it."""
        ...
