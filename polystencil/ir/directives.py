"""Directives that passes put on loops for the passes, generators and printers after them."""

from __future__ import annotations

KEEP = "keep"  # leave as written: an original loop for the last iteration of a fusion
TILE = "tile"  # a loop over tiles of rows, one a core
IN_TILE = "in order"  # a loop inside of a tile
GENERAL = "general"  # a loop inside of a tile that keeps its tests: few iterations
HOST = "host"  # a loop around work of the host: it never is a kernel
