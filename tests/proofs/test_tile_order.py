"""The order of tiles against enumeration, and that the claim can fail."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from polystencil.proofs.tile_order import tile_order, violations
from polystencil.proofs.verdicts import Proven


def place_of(row: int, launch: int, starts: list[int], sigma: int) -> tuple[int, int]:
    """The phase and tile (or boundary) that run a row of a launch, as `proofs.tile_order` states it."""
    for k, c in enumerate(starts):
        if c - launch * sigma <= row <= c + launch * sigma - 1:
            return 1, k
    return 0, sum(row >= c for c in starts)


@pytest.mark.parametrize("seed", range(40))
def test_dependences_run_forward(seed: int) -> None:
    random = Random(seed)
    launches, reach = random.randint(2, 6), random.randint(1, 3)
    offsets = [[random.randint(-reach, reach) for _ in range(random.randint(0, 3))] for _ in range(launches)]
    sigma = max(1, max((abs(o) for some in offsets for o in some), default=0))
    height = 2 * sigma * launches + random.randint(0, 4)
    tiles = random.randint(1, 4)
    starts = [height * k for k in range(1, tiles)]
    rows = range(-random.randint(0, 3), height * tiles + random.randint(0, 5))
    where = {(row, launch): place_of(row, launch, starts, sigma) for row, launch in itertools.product(rows, range(launches))}
    for (row, launch), (other, later) in itertools.product(where, where):
        if later <= launch:
            continue
        first = {row} | {row + o for o in offsets[launch]}
        second = {other} | {other + o for o in offsets[later]}
        if row in second or other in first:  # a row that one writes and the other touches
            before, after = where[row, launch], where[other, later]
            assert before[0] < after[0] or before == after  # an earlier phase, or the same tile, which keeps the order


@pytest.mark.parametrize("sigma", [1, 2, 3, 7])
def test_proven_for_every_distance(sigma: int) -> None:
    assert isinstance(tile_order(sigma), Proven)


@pytest.mark.parametrize("sigma", [1, 3])
def test_a_boundary_that_moves_less_breaks_the_order(sigma: int) -> None:
    broken = {name for name, points in violations(sigma, reach=sigma + 1) if not points.is_empty()}
    assert "a trapezoid depends on a triangle" in broken
