"""What a user can choose: target, transformations, floating-point rules, device and the figures that decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Union

Target = Literal["opencl", "cuda", "cuda_cpu", "interpreter"]
FloatingPoint = Literal["strict", "contract", "fast"]


@dataclass(frozen=True)
class Options:
    """All choices of one compilation.

    `transforms` is "all", "none" or names of passes. `device` selects by part of a platform's or device's name.
    `cache_bytes` is the cache that bands of rows aim at; None asks the device.
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
