"""Programs with which fuse might go wrong: none may print anything else afterwards.

Each one is the smallest form of a mistake that was made once, or that the rule in its name guards against.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "fuse_programs"
PROGRAMS = {path.stem: path.read_text() for path in sorted(FOLDER.glob("*.f90"))}
TRANSFORMS = (("fuse",), ("fuse", "swap"), "all")


@pytest.mark.parametrize("transforms", TRANSFORMS, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_output_is_unchanged(name: str, transforms: tuple[str, ...], same: Callable[..., object]) -> None:
    same(PROGRAMS[name], transforms)


REFUSED = [n for n in PROGRAMS if "consumer_that" in n or "alias" in n or "private_scalar" in n or "cut_short" in n]


@pytest.mark.parametrize("name", REFUSED)
def test_these_are_not_fused(name: str, same: Callable[..., object], status: Callable[..., list[str]]) -> None:
    assert "applied" not in status(same(PROGRAMS[name], ("fuse",)), "fuse")
