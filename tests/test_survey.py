"""Every program of the survey is supported or refused with a located message; none is wrong."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = sorted((ROOT / "tests" / "survey").glob("*.f90"))


def maker():  # type: ignore[no-untyped-def]  # a module loaded by path
    spec = importlib.util.spec_from_file_location("make_fortran_table", ROOT / "docs" / "make_fortran_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_not_wrong(path: Path, gfortran: str) -> None:
    assert gfortran
    result, message = maker().outcome(path)
    assert result in ("supported", "refused") or result.startswith("supported (")
    table = (ROOT / "docs" / "fortran.md").read_text(encoding="utf-8")
    assert f"| {path.name} | {result} |" in table, "run docs/make_fortran_table.py"
    assert bool(message) == (result == "refused")


def test_there_are_sixty() -> None:
    assert len(PROGRAMS) >= 60
