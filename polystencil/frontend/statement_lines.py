"""Source lines joined to statements, for messages about text that has no tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class StatementText:
    """One statement: `code` has literals blanked to `'xxx'`; `row` and `column` (from 0) are where it starts.

    `open_quote` is the place of a quote without its partner.
    """

    code: str
    row: int
    column: int
    last_row: int
    open_quote: tuple[int, int] | None = None
    places: tuple[tuple[int, int], ...] = ()  # of each character of `code`


class _Scanner:
    def __init__(self) -> None:
        self.code: list[str] = []
        self.places: list[tuple[int, int]] = []
        self.quote = ""
        self.quote_place = (0, 0)

    def add(self, c: str, row: int, column: int) -> None:
        self.code.append(c)
        self.places.append((row, column))

    def take(self, last_row: int, unclosed: bool) -> StatementText | None:
        text = "".join(self.code)
        lead = len(text) - len(text.lstrip())
        stripped = text.strip()
        places = tuple(self.places[lead : lead + len(stripped)])
        self.code, self.places = [], []
        quote_place = self.quote_place if unclosed else None
        if not stripped:
            return None
        return StatementText(stripped.lower(), places[0][0], places[0][1], last_row, quote_place, places)


def statements_of(lines: list[str]) -> Iterator[StatementText]:
    """The statements of free-form lines in order; comments left out."""
    scanner = _Scanner()
    for row, line in enumerate(lines):
        continued = _scan_line(scanner, row, line)
        if isinstance(continued, list):
            yield from (s for s in continued if s is not None)
            continue
        if continued or ((not line.strip() or line.lstrip().startswith("!")) and scanner.code):
            continue
        statement = scanner.take(row, bool(scanner.quote))
        scanner.quote = ""
        if statement is not None:
            yield statement
    statement = scanner.take(len(lines) - 1, bool(scanner.quote))
    if statement is not None:
        yield statement


def _scan_line(scanner: _Scanner, row: int, line: str) -> bool | list[StatementText | None]:
    """Take one line in; True when the statement goes on, a list when `;` ended statements on the way."""
    done: list[StatementText | None] = []
    start = len(line) - len(line.lstrip())
    if scanner.code and line.lstrip().startswith("&"):
        start += 1
    code_end = len(line.rstrip())
    k = start
    while k < code_end:
        c = line[k]
        if scanner.quote:
            if c == scanner.quote:
                scanner.quote = ""
                scanner.add("'", row, k)
            elif c == "&" and not line[k + 1 : code_end].strip():
                return True
            else:
                scanner.add("x", row, k)
        elif c in "'\"":
            scanner.quote, scanner.quote_place = c, (row, k)
            scanner.add("'", row, k)
        elif c == "!":
            break
        elif c == "&":
            rest = line[k + 1 : code_end].strip()
            if not rest or rest.startswith("!"):
                return True
            scanner.add(c, row, k)
        elif c == ";":
            done.append(scanner.take(row, False))
        else:
            scanner.add(c, row, k)
        k += 1
    if done:
        done.append(scanner.take(row, bool(scanner.quote)))
        scanner.quote = ""
        return done
    return False
