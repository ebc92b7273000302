"""What a user can choose: target, transformations, floating-point rules, device and the figures that decide."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Literal, Union

from polystencil.errors import UsageError

Target = Literal["opencl", "cuda", "cuda_cpu", "interpreter"]
FloatingPoint = Literal["strict", "contract", "fast"]


PASSES = ("fuse", "swap", "split", "jam", "skew", "unroll")
NEEDS = {"swap": "fuse", "jam": "split"}


@dataclass(frozen=True)
class Options:
    """All choices of one compilation.

    `transforms` is "all", "none" or names of passes. `device` selects by part of a platform's or device's name.
    `cache_bytes` is the cache that bands of rows aim at; None asks the device. `separate_memory` says that arrays are
    copied to the device, so that it pays to know which of them a launch overwrites. `cores` of a CPU share the rows of
    a skewed loop in tiles, each aiming at `core_cache_bytes` (None asks the device; 0 cores: bands of rows, for devices
    that one launch fills).
    """

    target: Target = "opencl"
    transforms: Union[Literal["all", "none"], tuple[str, ...]] = "all"
    fp: FloatingPoint = "contract"
    device: str | None = None
    cache_bytes: int | None = None
    split_min_iterations: int | None = None
    parallelize: bool = True
    specialise: bool = True
    timed: bool = False
    separate_memory: bool = False
    cores: int | None = None
    core_cache_bytes: int | None = None

    def enabled(self, name: str) -> bool:
        """Whether a pass of `PASSES` runs; swap needs fuse and jam needs split."""
        chosen = PASSES if self.transforms == "all" else () if self.transforms == "none" else self.transforms
        return name in chosen and (name not in NEEDS or NEEDS[name] in chosen)


def transforms_from_text(text: str) -> Union[Literal["all", "none"], tuple[str, ...]]:
    """The value of `--transforms`: all, none, or names of passes separated by commas."""
    if text == "all":
        return "all"
    if text == "none":
        return "none"
    names = tuple(n.strip() for n in text.split(","))
    for name in names:
        if name not in PASSES:
            raise UsageError(
                f"unknown transformation {name!r} in --transforms", hint="all, none, or of " + ",".join(PASSES)
            )
    return names


def options_from_environment(options: Options) -> Options:
    """`options` without the passes that POLYSTENCIL_DISABLE names."""
    text = os.environ.get("POLYSTENCIL_DISABLE", "")
    off = {n.strip() for n in text.split(",") if n.strip()}
    for name in off:
        if name not in PASSES:
            raise UsageError(f"unknown transformation {name!r} in POLYSTENCIL_DISABLE", hint="of " + ",".join(PASSES))
    if not off:
        return options
    return replace(options, transforms=tuple(n for n in PASSES if options.enabled(n) and n not in off))
