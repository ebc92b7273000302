"""What the tests of the runtime share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from polystencil.codegen import generate
from polystencil.errors import SourceText
from polystencil.frontend import read_program
from polystencil.options import Options
from polystencil.runtime import Executable, load


@pytest.fixture
def executable() -> Callable[..., Executable]:
    def make(text: str, device: Any = None, **options: Any) -> Executable:
        chosen = Options(**options)
        return load(generate(read_program([SourceText("test.f90", text)]), chosen), device, chosen)

    return make
