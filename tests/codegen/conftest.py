"""What the tests of code generation share: from Fortran text to generated programs and executables."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from polystencil import pipeline
from polystencil.codegen import generate
from polystencil.codegen.generated import GeneratedProgram
from polystencil.errors import SourceText
from polystencil.frontend import read_program
from polystencil.options import Options
from polystencil.runtime import load


@pytest.fixture
def generated() -> Callable[..., GeneratedProgram]:
    def make(text: str, **options: object) -> GeneratedProgram:
        return generate(read_program([SourceText("test.f90", text)]), Options(**options))  # type: ignore[arg-type]  # any option

    return make


@pytest.fixture
def output(generated: Callable[..., GeneratedProgram]) -> Callable[..., str]:
    """What a program prints when its kernels run on the default device."""

    def run(text: str, **options: object) -> str:
        stream = io.BytesIO()
        code = load(generated(text, **options), None, Options(**options)).run(stdout=stream)  # type: ignore[arg-type]  # any option
        assert code == 0
        return stream.getvalue().decode()

    return run


@pytest.fixture
def interpreted() -> Callable[[str], str]:
    """What the reference interpreter prints."""

    def run(text: str) -> str:
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding="latin-1", newline="", write_through=True)
        assert pipeline.interpret(read_program([SourceText("test.f90", text)]), (), stream) == 0
        out = raw.getvalue().decode()
        stream.detach()
        return out

    return run
