"""Namelist input and output (placeholder until it is filled)."""

from __future__ import annotations

from typing import Any

from polystencil.errors import UnsupportedError


def write(units: Any, place: Any, internal: bool, group: str, members: list[tuple[str, Any]]) -> None:
    raise UnsupportedError("namelist output is not supported")


def read(units: Any, place: Any, internal: bool, group: str, members: list[tuple[str, Any]]) -> None:
    raise UnsupportedError("namelist input is not supported")
