"""The sizes of the CPU's caches: jammed interiors aim at the last level, tiles of a skewed loop at a core's own."""

from __future__ import annotations

DEFAULT = 8 << 20  # where the system does not tell
DEFAULT_CORE = 512 << 10


def last_level_cache_bytes() -> int:
    """Bytes of the largest cache of the first core."""
    return next((size for level in (4, 3, 2) if (size := _cache_size(level))), DEFAULT)


def core_cache_bytes() -> int:
    """Bytes of the second level cache, the largest that a core has for itself."""
    return _cache_size(2) or DEFAULT_CORE


def _cache_size(index: int) -> int:
    """Bytes of a cache as Linux lists them for the first core (0 and 1 are the first level's); 0 where it is not told."""
    try:
        with open(f"/sys/devices/system/cpu/cpu0/cache/index{index}/size", encoding="ascii") as f:
            text = f.read().strip()
    except OSError:
        return 0
    unit = {"K": 1 << 10, "M": 1 << 20}.get(text[-1:], 1)
    digits = text.rstrip("KM")
    return int(digits) * unit if digits.isdigit() else 0
