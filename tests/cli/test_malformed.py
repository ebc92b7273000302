"""Broken programs through the command line: status 2 and one located message, or they still run; never a traceback."""

from __future__ import annotations

import io
import random
import re
from pathlib import Path

import pytest

from polystencil.cli import main
from tests.frontend.test_robustness import FILES, broken


@pytest.mark.parametrize("seed", range(200))
def test_malformed_programs_end_with_a_message(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(1000 + seed)
    path = rng.choice(FILES)
    monkeypatch.chdir(tmp_path)
    source = Path(path.name)
    source.write_text(broken(path.read_text(), rng))
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    status = main(["show", str(source), "--after", "parallelize", "-I", str(path.parent)])
    said = capsys.readouterr()
    assert status in (0, 2)
    if status == 2:
        assert re.match(r"\S+:\d+:\d+: .", said.err)
        assert "Traceback" not in said.err
