"""The size of the CPU's last-level cache, which bands of rows and jammed interiors aim at.

Measured on PoCL with two threads: bands for the shared last level pay, bands for a core's own second level cost more in
launches than they save.
"""

from __future__ import annotations

DEFAULT = 8 << 20  # where the system does not tell


def last_level_cache_bytes() -> int:
    """Bytes of the largest cache of the first core."""
    for level in (4, 3, 2):
        try:
            with open(f"/sys/devices/system/cpu/cpu0/cache/index{level}/size", encoding="ascii") as f:
                text = f.read().strip()
        except OSError:
            continue
        unit = {"K": 1 << 10, "M": 1 << 20}.get(text[-1:], 1)
        digits = text.rstrip("KM")
        if digits.isdigit():
            return int(digits) * unit
    return DEFAULT
