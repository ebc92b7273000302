"""Reading short sources in tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polystencil.errors import SourceText
from polystencil.frontend import read_program
from polystencil.ir.program import Program


@pytest.fixture
def read() -> Callable[..., Program]:
    """`read(text)` or `read(text, name="x.f")`: the program of one source."""

    def run(text: str, name: str = "test.f90", **options: object) -> Program:
        return read_program([SourceText(name, text)], **options)  # type: ignore[arg-type]  # defines, include_dirs

    return run
