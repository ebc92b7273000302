"""Zeroed memory for arrays; large ones on large pages, which the system clears when they are first used."""

from __future__ import annotations

import contextlib
import math
import mmap
from typing import Any

import numpy as np

LARGE = 4 << 20  # bytes from which large pages pay
PAGE = 2 << 20


def zeros(element: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """An array of zeros in Fortran order."""
    count = math.prod(shape)
    size = count * element.itemsize
    if size < LARGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(shape, element, order="F")
    memory = mmap.mmap(-1, size + PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(OSError):  # a system without large pages
        memory.madvise(mmap.MADV_HUGEPAGE)
    whole = np.frombuffer(memory, np.uint8)
    start = -whole.ctypes.data % PAGE
    return whole[start : start + size].view(element).reshape(shape, order="F")
