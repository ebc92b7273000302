"""Which files a source includes, found without parsing: their texts decide too whether a compiled program is current."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from polystencil.errors import SourceText

_INCLUDE = re.compile(r"""^\s*#?\s*include\s*["'<]([^"'>]+)["'>]""", re.IGNORECASE | re.MULTILINE)


def included_texts(sources: Iterable[SourceText], include_dirs: Sequence[str]) -> list[tuple[str, str]]:
    """(name, text) of every file that a source may include, also through others; missing ones count as empty."""
    todo = list(sources)
    found: dict[str, str] = {}
    while todo:
        source = todo.pop()
        for name in _INCLUDE.findall(source.text):
            for folder in (Path(source.name).parent, *map(Path, include_dirs)):
                path = folder / name
                if str(path) in found or not path.is_file():
                    continue
                found[str(path)] = path.read_text(encoding="utf-8", errors="surrogateescape")
                todo.append(SourceText(str(path), found[str(path)]))
    return sorted(found.items())
