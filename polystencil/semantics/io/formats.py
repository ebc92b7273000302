"""Format specifications: from text to a tree of edit descriptors, and the walk over it with reversion."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Union

from polystencil.semantics.io.failure import TransferFailure

DATA_CODES = frozenset({"I", "B", "O", "Z", "F", "E", "EN", "ES", "EX", "D", "G", "L", "A"})


@dataclass(frozen=True)
class Edit:
    """A data edit descriptor (`count` repeats it) or a control one: X T TL TR / : P S SP SS BN BZ RU .. DC DP."""

    code: str
    width: int | None = None
    digits: int | None = None
    exponent: int | None = None
    count: int = 1


@dataclass(frozen=True)
class Text:
    """A character literal in the format."""

    value: bytes


@dataclass(frozen=True)
class Group:
    """A parenthesised group; `count` None is the unlimited `*`."""

    items: tuple[Item, ...]
    count: int | None = 1


Item = Union[Edit, Text, Group]

_EDIT = re.compile(
    r"(EN|ES|EX|D(?![CP])|[EGF])(\d+)?(?:\.(\d+))?(?:E(\d+))?|([IBOZ])(\d+)?(?:\.(\d+))?|(L|A)(\d+)?|(TL|TR|T)(\d+)"
    r"|(SP|SS|S|BN|BZ|RU|RD|RZ|RN|RC|RP|DC|DP|X|/|:|\$)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[+-]?\d+")


def _squeezed(text: str) -> str:
    """The text without blanks outside of literals and Hollerith constants."""
    out, k = [], 0
    while k < len(text):
        c = text[k]
        if c in "'\"":
            end = k + 1
            while end < len(text) and (text[end] != c or text[end + 1 : end + 2] == c):
                end += 2 if text[end] == c else 1
            out.append(text[k : end + 1])
            k = end + 1
        elif c in "hH" and (m := re.search(r"(\d+)$", "".join(out))):
            out.append(text[k : k + 1 + int(m.group(1))])
            k += 1 + int(m.group(1))
        else:
            if c not in " \t":
                out.append(c)
            k += 1
    return "".join(out)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at = _squeezed(text), 0

    def fail(self, why: str) -> TransferFailure:
        return TransferFailure(5006, f"{why} in format {self.text}")

    def group(self) -> tuple[Item, ...]:
        """After an opening parenthesis, up to and with the closing one."""
        items: list[Item] = []
        while True:
            if self.at >= len(self.text):
                raise self.fail("missing right parenthesis")
            c = self.text[self.at]
            if c == ")":
                self.at += 1
                return tuple(items)
            if c == ",":
                self.at += 1
                continue
            items.append(self.item())

    def item(self) -> Item:
        text, c = self.text, self.text[self.at]
        if c in "'\"":
            return Text(self.literal(c))
        if c == "(":
            self.at += 1
            return Group(self.group())
        if text.startswith("*(", self.at):
            self.at += 2
            return Group(self.group(), None)
        number: int | None = None
        if m := _NUMBER.match(text, self.at):
            self.at = m.end()
            number = int(m.group())
            c = text[self.at : self.at + 1]
            if c in ("P", "p"):
                self.at += 1
                return Edit("P", number)
            if c in ("H", "h"):
                value = text[self.at + 1 : self.at + 1 + number]
                self.at += 1 + number
                return Text(value.encode("latin-1"))
            if c == "(":
                self.at += 1
                return Group(self.group(), number)
        return self.edit(1 if number is None else number)

    def edit(self, count: int) -> Edit:
        m = _EDIT.match(self.text, self.at)
        if m is None:
            raise self.fail(f"unexpected element '{self.text[self.at : self.at + 1]}'")
        self.at = m.end()
        g = m.groups()

        def num(k: int) -> int | None:
            return None if g[k] is None else int(g[k])

        if g[0]:
            return Edit(g[0].upper(), num(1), num(2), num(3), count)
        if g[4]:
            return Edit(g[4].upper(), num(5), num(6), None, count)
        if g[7]:
            return Edit(g[7].upper(), num(8), None, None, count)
        if g[9]:
            return Edit(g[9].upper(), num(10))
        code = g[11].upper()
        return Edit(code, count) if code == "X" else Edit(code, count=count)

    def literal(self, quote: str) -> bytes:
        out, k = [], self.at + 1
        while True:
            end = self.text.find(quote, k)
            if end < 0:
                raise self.fail("unterminated character constant")
            out.append(self.text[k:end])
            if self.text[end + 1 : end + 2] != quote:
                self.at = end + 1
                return quote.join(out).encode("latin-1")
            k = end + 2


@lru_cache(maxsize=1024)
def parse_format(text: bytes) -> tuple[Item, ...]:
    """The items of a format with its parentheses; what follows the closing one is ignored."""
    parser = _Parser(text.decode("latin-1"))
    if not parser.text.startswith("("):
        raise parser.fail("missing initial left parenthesis")
    parser.at = 1
    return parser.group()


def _walk(items: tuple[Item, ...]) -> Iterator[Edit | Text]:
    for item in items:
        if isinstance(item, Group):
            if item.count is None:
                while True:
                    yield from _walk(item.items)
            for _ in range(item.count):
                yield from _walk(item.items)
        elif isinstance(item, Text) or item.code not in DATA_CODES:
            repeat = item.count if isinstance(item, Edit) and item.code == "/" else 1
            for _ in range(repeat):
                yield item
        else:
            for _ in range(item.count):
                yield item


def has_data_edit(items: tuple[Item, ...]) -> bool:
    """Whether any item can transfer a value."""
    return any(
        has_data_edit(i.items) if isinstance(i, Group) else isinstance(i, Edit) and i.code in DATA_CODES for i in items
    )


REVERSION = Edit("REVERSION")


def edits(items: tuple[Item, ...]) -> Iterator[Edit | Text]:
    """All descriptors in order, for ever: after the last one comes REVERSION and the last group again."""
    yield from _walk(items)
    last = max((k for k, i in enumerate(items) if isinstance(i, Group)), default=0)
    again = items[last:] if has_data_edit(items[last:]) else items
    while True:
        yield REVERSION
        yield from _walk(again)
