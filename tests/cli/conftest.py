"""What the tests of the command line share: a run of it in a process of its own, or in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def polystencil(tmp_path: Path) -> Run:
    """`python -m polystencil ARGUMENTS` in `tmp_path`."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "polystencil", *map(str, arguments)],
            capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        )  # fmt: skip

    return run
