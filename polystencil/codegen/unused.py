"""Declarations of kernel variables that nothing uses, taken out: device compilers warn about them."""

from __future__ import annotations

import re
from collections import Counter

_DECLARATION = re.compile(r"(?:const )?(?:signed |unsigned )?\w+(?: long)? (\w+)(?:\[[^\]]*\])?(?: = (.*))?;")
_NAME = re.compile(r"[A-Za-z_]\w*")
_CALL = re.compile(r"[A-Za-z_]\w*\(")
_NO_TYPES = ("return", "goto", "else", "break", "continue")


def without_unused(lines: list[str]) -> list[str]:
    """The lines without variables that are declared and never named again; what calls a function stays."""
    out = lines
    while True:
        uses = Counter(name for line in out for name in _NAME.findall(line))
        kept = [line for line in out if not _useless(line, uses)]
        if len(kept) == len(out):
            return out
        out = kept


def _useless(line: str, uses: Counter[str]) -> bool:
    found = _DECLARATION.fullmatch(line.strip())
    if found is None or line.split()[0] in _NO_TYPES:
        return False
    return uses[found[1]] == 1 and (found[2] is None or _CALL.search(found[2]) is None)
