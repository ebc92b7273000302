"""Memory of arrays: zeros, large ones on large pages that the system clears when they are first used.

Memory of large arrays that are gone is kept for others of which every element is known to be assigned before it is read:
they need no cleared pages, which cost as much as a sweep over the array.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import weakref
from collections import OrderedDict
from typing import Any

import numpy as np

LARGE = 4 << 20  # bytes from which large pages pay
PAGE = 2 << 20
MOST_KEPT = 1 << 30  # bytes

_kept: OrderedDict[int, tuple[int, mmap.mmap]] = OrderedDict()  # by a number that counts up: size and memory
_number = 0


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
    for number, (have, memory) in reversed(_kept.items()):
        if have == size:
            del _kept[number]
            return memory
    return None


def _keep(size: int, memory: mmap.mmap) -> None:
    """Keep the memory of an array that is gone; the oldest goes where there is too much."""
    global _number
    if size > MOST_KEPT:
        return
    _number += 1
    _kept[_number] = (size, memory)
    while sum(have for have, _ in _kept.values()) > MOST_KEPT:
        _kept.popitem(last=False)
