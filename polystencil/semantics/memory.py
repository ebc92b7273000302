"""Memory of arrays: zeros, large ones on large pages that the system clears when they are first used.

Memory of large arrays that are gone is kept for others of which every element is known to be assigned before it is read:
they need no cleared pages, which cost as much as a sweep over the array.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import weakref
from typing import Any

import numpy as np

LARGE = 4 << 20  # bytes from which large pages pay
PAGE = 2 << 20
MOST_KEPT = 1 << 30  # bytes

_kept: dict[int, list[mmap.mmap]] = {}  # by size
_bytes_kept = 0


def zeros(element: np.dtype[Any], shape: tuple[int, ...], cleared: bool = True) -> np.ndarray[Any, Any]:
    """An array of zeros in Fortran order; of anything where it need not be `cleared`."""
    size = math.prod(shape) * element.itemsize
    if size < LARGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(shape, element, order="F")
    memory = None if cleared else _take(size)
    if memory is None:
        memory = mmap.mmap(-1, size + PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        with contextlib.suppress(OSError):  # a system without large pages
            memory.madvise(mmap.MADV_HUGEPAGE)
    whole = np.frombuffer(memory, np.uint8)
    weakref.finalize(whole, _keep, size, memory).atexit = False
    start = -whole.ctypes.data % PAGE
    return whole[start : start + size].view(element).reshape(shape, order="F")


def _take(size: int) -> mmap.mmap | None:
    """Kept memory of this size."""
    global _bytes_kept
    try:
        memory = _kept[size].pop()
    except (KeyError, IndexError):
        return None
    _bytes_kept -= size
    return memory


def _keep(size: int, memory: mmap.mmap) -> None:
    """Keep the memory of an array that is gone; what was kept goes where there is too much.

    Runs whenever an array is collected, also in the middle of `_take`: single operations on lists only.
    """
    global _bytes_kept
    if _bytes_kept + size > MOST_KEPT:
        _kept.clear()
        _bytes_kept = 0
    if size <= MOST_KEPT:
        _kept.setdefault(size, []).append(memory)
        _bytes_kept += size
