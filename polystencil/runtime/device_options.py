"""From the options a user gave to those for one device: sizes of its caches, its cores, and where arrays live."""

from __future__ import annotations

import os
from dataclasses import replace

from polystencil.options import PASSES, Options
from polystencil.runtime.cpu_cache import core_cache_bytes, last_level_cache_bytes
from polystencil.runtime.device import Device

SPLIT_MIN_ON_CPU = 1024  # iterations; boundary tests cost a CPU its vectors (7 times faster at 256 x 256 when measured)


def options_for(options: Options, device: Device) -> Options:
    """The options with what the device knows; a size of the cache that the user states is that of a core as well."""
    cache = options.cache_bytes if options.cache_bytes is not None else device.cache_bytes()
    cores, own = device.tile_cores()
    if options.cores is not None:
        cores = options.cores
    if options.cache_bytes is not None:
        own = options.cache_bytes
    least = options.split_min_iterations
    if least is None and device.is_cpu:
        least = SPLIT_MIN_ON_CPU
    return replace(
        options, cache_bytes=cache, separate_memory=not getattr(device, "in_place", True), cores=cores,
        core_cache_bytes=own, split_min_iterations=least,
    )  # fmt: skip


def options_for_threads(options: Options) -> Options:
    """The options for threads of this machine, for programs that are printed with OpenMP directives.

    "all" leaves jam out: gfortran does not vectorise several rows of a tile at once (3.4 times slower when measured).
    """
    cores = options.cores if options.cores is not None else os.cpu_count() or 1
    if cores and options.transforms == "all":
        options = replace(options, transforms=tuple(name for name in PASSES if name != "jam"))
    if options.split_min_iterations is None:
        options = replace(options, split_min_iterations=SPLIT_MIN_ON_CPU)
    if options.cache_bytes is not None:
        return replace(options, cores=cores, core_cache_bytes=options.cache_bytes)
    return replace(options, cores=cores, cache_bytes=last_level_cache_bytes(), core_cache_bytes=core_cache_bytes())
