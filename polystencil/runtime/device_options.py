"""From the options a user gave to those for one device: sizes of its caches, its cores, and where arrays live."""

from __future__ import annotations

from dataclasses import replace

from polystencil.options import Options
from polystencil.runtime.device import Device


def options_for(options: Options, device: Device) -> Options:
    """The options with what the device knows; a size of the cache that the user states is that of a core as well."""
    cache = options.cache_bytes if options.cache_bytes is not None else device.cache_bytes()
    cores, own = device.tile_cores()
    if options.cache_bytes is not None:
        own = options.cache_bytes
    separate = not getattr(device, "in_place", True)
    return replace(options, cache_bytes=cache, separate_memory=separate, cores=cores, core_cache_bytes=own)
