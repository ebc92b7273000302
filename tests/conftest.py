"""What all tests share: gfortran, the oracle, and a cache of compiled programs that belongs to the tests alone."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

Compile = Callable[..., Path]


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Programs compiled by an earlier version must not stand in for a compilation."""
    os.environ["POLYSTENCIL_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def gfortran(tmp_path: Path) -> Compile:
    """Compiles Fortran files to a program; skips where gfortran is missing, but fails on CI, which must have it."""
    found = shutil.which("gfortran")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("gfortran is missing, and CI must have it: apt-get install gfortran")
        pytest.skip("gfortran is not installed")

    def compile_(files: Sequence[Path], *flags: str) -> Path:
        program = tmp_path / "gfortran_program"
        flags = flags or ("-std=f2018", "-fcheck=all", "-O0", "-ffp-contract=off")
        command = [found, *flags, "-w", "-J", str(tmp_path), *map(str, files), "-o", str(program)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        return program

    return compile_
