"""Breaking long lines: at a blank or after a comma where one is near, else inside, as `&` allows."""

from __future__ import annotations

from collections.abc import Iterator

LIMIT = 128


def broken(line: str) -> Iterator[str]:
    """`line` in pieces of at most LIMIT characters."""
    indent = line[: len(line) - len(line.lstrip())][:60] + "  "
    first = True
    while len(line) > LIMIT:
        quiet = _outside_strings(line)
        cut = max((k for k in range(60, LIMIT - 1) if line[k] in " ," and quiet[k]), default=LIMIT - 2)
        yield line[: cut + 1] + "&"
        # a second & keeps tokens and strings that the cut goes through in one piece
        line = indent + "&" + line[cut + 1 :]
        first = False
    if line.strip() or first:
        yield line


def _outside_strings(line: str) -> list[bool]:
    out, quote = [], ""
    for c in line:
        if quote:
            quote = "" if c == quote else quote
            out.append(False)
        else:
            quote = c if c in "'\"" else ""
            out.append(not quote)
    return out
