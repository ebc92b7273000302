"""Compiled programs on disk: host module and kernels, by sources, options and versions.

The second start of a program reads one file instead of parsing, proving and generating; none of the libraries for that
is imported then. `POLYSTENCIL_CACHE` moves the folder; `POLYSTENCIL_CACHE=0` turns the cache off.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from polystencil.codegen.generated import GeneratedProgram
from polystencil.options import Options

FORMAT = 1


def cache_folder() -> Path | None:
    """Where compiled programs are kept; None when they are not."""
    chosen = os.environ.get("POLYSTENCIL_CACHE")
    if chosen in ("", "0", "off"):
        return None
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "polystencil"


def program_key(sources: Iterable[tuple[str, str]], options: Options, more: Iterable[str] = ()) -> str:
    """The name of a compiled program: its sources by name and text, all options, versions, and what else decides."""
    parts = [str(FORMAT), _package_state(), repr(replace(options, timed=False)), os.environ.get("POLYSTENCIL_DISABLE", ""), *more]
    for name, text in sources:
        parts += [name, text]
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", errors="surrogateescape")
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.hexdigest()


def _package_state() -> str:
    """The version of this package: its files by name, size and time, so that a changed checkout is another."""
    root = Path(__file__).resolve().parent.parent
    lines = []
    for folder, _, files in sorted(os.walk(root)):
        for name in sorted(files):
            if name.endswith(".py"):
                state = os.stat(os.path.join(folder, name))
                lines.append(f"{name} {state.st_size} {state.st_mtime_ns}")
    return "\n".join(lines)


def find(key: str) -> GeneratedProgram | None:
    """The compiled program of this name, or None; a file that cannot be read counts as none."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        with open(folder / f"{key}.pickle", "rb") as f:
            found = pickle.load(f)
    except Exception:  # a damaged or foreign file must never stop a program
        return None
    return found if isinstance(found, GeneratedProgram) else None


def keep(key: str, generated: GeneratedProgram) -> None:
    """Write the program under its name; a folder that cannot be written is no error."""
    folder = cache_folder()
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, suffix=".part")
        with os.fdopen(handle, "wb") as f:
            pickle.dump(generated, f, protocol=pickle.HIGHEST_PROTOCOL)
        os.replace(name, folder / f"{key}.pickle")
    except OSError:
        return
