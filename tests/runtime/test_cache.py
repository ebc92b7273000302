"""Compiled programs on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from polystencil.codegen import generate
from polystencil.errors import SourceText
from polystencil.frontend import read_program
from polystencil.options import Options
from polystencil.runtime import cache

TEXT = (
    "program p\n integer :: a(100), i\n do concurrent (i = 1:100)\n a(i) = i\n end do\n print *, sum(a)\nend program\n"
)


def test_a_program_comes_back_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYSTENCIL_CACHE", str(tmp_path))
    options = Options()
    key = cache.program_key([("t.f90", TEXT)], options)
    assert cache.find(key) is None
    made = generate(read_program([SourceText("t.f90", TEXT)]), options)
    cache.keep(key, made)
    assert cache.find(key) == made
    (tmp_path / f"{key}.pickle").write_bytes(b"damaged")
    assert cache.find(key) is None


def test_keys_depend_on_everything_that_decides() -> None:
    base = cache.program_key([("t.f90", TEXT)], Options())
    assert base == cache.program_key([("t.f90", TEXT)], Options())
    assert base != cache.program_key([("t.f90", TEXT + " ")], Options())
    assert base != cache.program_key([("t.f90", TEXT)], Options(fp="strict"))
    assert base != cache.program_key([("t.f90", TEXT)], Options(), ["X=1"])


def test_a_cached_program_needs_no_compiler_libraries(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from polystencil.runtime import cache, load\n"
        "from polystencil.options import Options\n"
        f"key = cache.program_key([('t.f90', {TEXT!r})], Options())\n"
        "found = cache.find(key)\n"
        "if found is None:\n"
        "    from polystencil.codegen import generate\n"
        "    from polystencil.errors import SourceText\n"
        "    from polystencil.frontend import read_program\n"
        f"    cache.keep(key, generate(read_program([SourceText('t.f90', {TEXT!r})]), Options()))\n"
        "else:\n"
        "    load(found, None, Options()).run()\n"
        "    print([m for m in ('loopy', 'islpy', 'tree_sitter') if m in sys.modules])\n"
    )
    environment = {
        "POLYSTENCIL_CACHE": str(tmp_path), "PYTHONPATH": str(Path(cache.__file__).parents[2]),
        "HOME": str(tmp_path), "PATH": os.environ["PATH"],
    }  # fmt: skip
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=environment, timeout=120
        )
        assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["5050", "[]"]
