"""Memory of large arrays: zeros, in Fortran order, that can be written."""

from __future__ import annotations

import numpy as np
import pytest

from polystencil.semantics import memory
from polystencil.semantics.memory import LARGE, PAGE, zeros


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.complex64, np.bool_])
@pytest.mark.parametrize("rows", [3, 1500])
def test_zeros(dtype: type, rows: int) -> None:
    data = zeros(np.dtype(dtype), (rows, 1000, 3))
    assert data.shape == (rows, 1000, 3)
    assert data.dtype == dtype
    assert data.flags.f_contiguous
    assert data.flags.writeable
    assert not data.any()
    data[:, 7, 2] = 1
    assert np.count_nonzero(data) == rows
    if data.nbytes >= LARGE:
        assert data.ctypes.data % PAGE == 0


def test_memory_lives_as_long_as_the_array() -> None:
    part = zeros(np.dtype(np.float64), (1 << 20,))[5:9]
    part[:] = 2.0
    assert part.sum() == 8.0


def test_nothing_and_scalars() -> None:
    assert zeros(np.dtype(np.float32), (0, 5)).shape == (0, 5)
    assert zeros(np.dtype(np.float32), ()).shape == ()


def test_memory_of_arrays_that_are_gone_serves_those_that_need_not_be_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_kept", {})
    monkeypatch.setattr(memory, "_bytes_kept", 0)
    monkeypatch.setattr(memory, "MOST_KEPT", 2 * LARGE)
    first = zeros(np.dtype(np.int8), (LARGE,))
    first[:] = 7
    del first
    fresh = zeros(np.dtype(np.int8), (LARGE,))
    assert not fresh.any()  # cleared all the same
    again = zeros(np.dtype(np.int8), (LARGE,), cleared=False)
    assert again[5] == 7
    others = [zeros(np.dtype(np.int8), (LARGE,)) for _ in range(5)]
    del again, others, fresh
    assert sum(size * len(free) for size, free in memory._kept.items()) == memory._bytes_kept <= 2 * LARGE
