"""Broken sources give a located message and nothing else: truncations, deletions and insertions of whole programs."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path

import pytest

from polystencil.errors import PolystencilError, SourceText
from polystencil.frontend import read_program

CASES = Path(__file__).parent.parent / "cases"
FILES = sorted(p for p in CASES.rglob("*") if p.suffix in (".f90", ".f", ".F90") and "oracle" not in p.parts)


def broken(text: str, rng: random.Random) -> str:
    """`text` with one thing wrong."""
    tokens = [m.span() for m in re.finditer(r"\w+|[^\w\s]", text)]
    start, end = rng.choice(tokens)
    match rng.randrange(4):
        case 0:
            return text[: rng.randrange(len(text))]
        case 1:
            return text[:start] + " " * (end - start) + text[end:]
        case 2:
            lines = text.split("\n")
            del lines[rng.randrange(len(lines))]
            return "\n".join(lines)
        case _:
            other = rng.choice(tokens)
            return text[:start] + text[other[0] : other[1]] + text[start:]


@pytest.mark.parametrize("seed", range(200))
def test_malformed_sources_give_located_messages(seed: int) -> None:
    rng = random.Random(seed)
    path = rng.choice(FILES)
    text = broken(path.read_text(), rng)
    start = time.perf_counter()
    try:
        read_program([SourceText(str(path), text)])
    except PolystencilError as error:
        located = error.span is not None and bool(error.message)
    else:
        located = True
    assert located
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_cases_are_read(path: Path) -> None:
    files = sorted(path.parent.glob("*.f90")) if path.parent.name == "b24_multifile" else [path]
    program = read_program(files)
    assert program.main is not None
