"""The order of bands against enumeration: every dependence of a random multi-launch loop runs forward."""

from __future__ import annotations

import itertools
from random import Random

import pytest


def band_of(row: int, launch: int, base: int, height: int, sigma: int, bands: int) -> int:
    """The band that runs a row of a launch, as `proofs.order` states it."""
    return min(max((row - base + launch * sigma) // height, 0), bands)


@pytest.mark.parametrize("seed", range(40))
def test_dependences_run_forward(seed: int) -> None:
    random = Random(seed)
    rows, launches = random.randint(5, 30), random.randint(2, 9)
    offsets = [[random.randint(-3, 3) for _ in range(random.randint(0, 3))] for _ in range(launches)]
    sigma = max(1, max((abs(o) for some in offsets for o in some), default=0))
    base, height = random.randint(-2, 3), random.randint(1, 12)
    bands = max(0, (rows - 1 - base) // height)
    when = {}
    for row, launch in itertools.product(range(rows), range(launches)):
        when[row, launch] = (band_of(row, launch, base, height, sigma, bands), launch)
    assert len(when) == rows * launches
    for (row, launch), (other, later) in itertools.product(when, when):
        if later <= launch:
            continue
        first = {row} | {row + o for o in offsets[launch]}
        second = {other} | {other + o for o in offsets[later]}
        if row in second or other in first:  # a row that one writes and the other touches
            assert when[row, launch] < when[other, later]


def test_a_smaller_shift_breaks_the_order() -> None:
    rows, height, reach = 12, 4, 2
    broken = False
    for row, other in itertools.product(range(rows), range(rows)):
        if other + reach == row:  # the later launch reads `reach` rows ahead
            earlier = (band_of(row, 0, 0, height, 1, 2), 0)
            later = (band_of(other, 1, 0, height, 1, 2), 1)
            broken = broken or later < earlier
    assert broken
