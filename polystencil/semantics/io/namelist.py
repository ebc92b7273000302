"""Namelist output as gfortran lays it out, and namelist input."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from polystencil.semantics.io.failure import BAD_VALUE, END_OF_FILE, TransferFailure
from polystencil.semantics.io.input import InputRecord, ListReader
from polystencil.semantics.io.items import scalar_storages, scalar_values
from polystencil.semantics.io.output import list_text
from polystencil.semantics.sections import section_index
from polystencil.semantics.values import Allocatable, Array, Pointer, Record, RecordArray

Member = tuple[str, Any]


def _leaves(name: str, storage: Any) -> Iterator[Member]:
    """The intrinsic parts of a variable, derived types taken apart into components and their elements."""
    if isinstance(storage, Record):
        for component, inner in storage.fields.items():
            if not isinstance(inner, Allocatable | Pointer):
                yield from _leaves(f"{name}%{component.upper()}", inner)
    elif isinstance(storage, Array) and isinstance(storage.data, RecordArray):
        import numpy as np

        for reverse in np.ndindex(tuple(reversed(storage.data.shape))):
            index = tuple(reversed(reverse))
            place = ",".join(str(k + low) for k, low in zip(index, storage.lower, strict=True))
            yield from _leaves(f"{name}({place})", storage.data[index])
    else:
        yield name, storage


def _element_text(value: Any, repeats: int) -> bytes:
    text = list_text(value, "quote")
    if not isinstance(value, bytes) and value.dtype.kind == "i":
        text = text.strip().ljust(len(text))
    elif not isinstance(value, bytes) and value.dtype.kind == "c":
        text = text.strip()
    if repeats == 1:
        return text
    width = len(text) if isinstance(value, bytes) or value.dtype.kind != "c" else 0
    return f" {repeats}*".encode() + text.strip().ljust(width)


def namelist_lines(group: str, members: list[Member]) -> list[bytes]:
    """The records that a namelist write gives."""
    lines = [f"&{group.upper()}".encode()]
    for name, variable in members:
        for leaf, storage in _leaves(name.upper(), variable):
            lines.extend(_assignment(leaf, list(scalar_values([storage]))))
    lines.append(b" /")
    return lines


def _assignment(name: str, values: list[Any]) -> list[bytes]:
    """` NAME=v,v,...` with repeat counts; a new line after five, then after every six groups."""
    lines, line, groups, k = [], f" {name}=".encode(), 1, 0
    while k < len(values):
        repeats = 1
        while k + repeats < len(values) and _same(values[k], values[k + repeats]):
            repeats += 1
        line += _element_text(values[k], repeats) + b","
        k += repeats
        groups += 1
        if groups > 5:
            lines.append(line)
            line, groups = b" ", 0
    return [*lines, line]


def _same(a: Any, b: Any) -> bool:
    return bool(a == b)


def write(units: Any, place: Any, internal: bool, group: str, members: list[Member]) -> None:
    """write(unit, nml=group)."""
    lines = namelist_lines(group, members)
    if internal:
        from polystencil.semantics.io.internal_files import internal_records

        places = internal_records(place)
        if len(places) < len(lines):
            raise TransferFailure(END_OF_FILE, "End of file")
        for storage, line in zip(places, lines, strict=False):
            if len(line) > storage.dtype.itemsize:
                raise TransferFailure(-2, "End of record")
            storage[...] = line.ljust(storage.dtype.itemsize)
        return
    for line in lines:
        units.write(place, b"(a)", [line])


def read(units: Any, place: Any, internal: bool, group: str, members: list[Member]) -> None:
    """read(unit, nml=group): what the group does not name keeps its value."""
    if internal:
        from polystencil.semantics.io.internal_files import internal_records

        texts = iter([bytes(p.tobytes()) for p in internal_records(place)])

        def next_line() -> bytes:
            line = next(texts, None)
            if line is None:
                raise TransferFailure(END_OF_FILE, "End of file")
            return line
    else:
        next_line = units.line_reader(place)
    _Reader(next_line, group, members).run()


class _Reader:
    def __init__(self, next_line: Callable[[], bytes], group: str, members: list[Member]) -> None:
        self.next_line, self.group = next_line, group.lower()
        self.members = {name.lower(): storage for name, storage in members}

    def run(self) -> None:
        text = self._body()
        parts = list(_OBJECT.finditer(text))
        if not parts and text.strip(b" ,\n"):
            raise TransferFailure(BAD_VALUE, "Cannot match namelist object name")
        for k, part in enumerate(parts):
            end = parts[k + 1].start() if k + 1 < len(parts) else len(text)
            self._set(part, text[part.end() : end])

    def _body(self) -> bytes:
        """The text between `&group` and the slash, comments and quotes masked out of the search."""
        while True:
            line = self.next_line().strip()
            m = re.match(rb"[&$]\s*(\w+)", line)
            if m and m.group(1).lower().decode() == self.group:
                break
        rest, out = line[m.end() :], b""
        while True:
            kept, ended = _until_end(rest)
            out += kept + b"\n"
            if ended:
                return out
            rest = self.next_line()

    def _set(self, part: re.Match[bytes], values: bytes) -> None:
        name = part.group(1).decode().lower()
        storage = self._designated(name)
        record = InputRecord(_no_more, values.replace(b"\n", b" ").rstrip(b" ,") + b" /")
        reader = ListReader(record)
        for target in scalar_storages([storage]):
            reader.read(target)

    def _designated(self, name: str) -> Any:
        """The storage of `a`, `a(2)`, `a(1:3)`, `t%u`, `t(2)%v(1)`."""
        pieces = re.findall(r"(\w+)\s*(\([^)]*\))?", name.replace("%", " "))
        first, subscripts = pieces[0]
        if first not in self.members:
            raise TransferFailure(BAD_VALUE, f"Cannot match namelist object name {first}")
        storage = _subscripted(self.members[first], subscripts)
        for component, inner in pieces[1:]:
            if not isinstance(storage, Record):
                raise TransferFailure(BAD_VALUE, f"Cannot match namelist object name {name}")
            found = storage.fields[component]
            lower = next(f.lower for f in storage.layout.fields if f.name == component)
            storage = _subscripted(Array(found, lower) if lower else found, inner)
        return storage


# a designator and its `=`, with an even number of quotes behind it (so it does not stand inside of text)
_OBJECT = re.compile(
    rb"(?<![\w'\"])([A-Za-z]\w*(?:\s*\([^)=]*\))?(?:%\w+(?:\s*\([^)=]*\))?)*)\s*="
    rb"(?=(?:[^'\"]|'[^']*'|\"[^\"]*\")*$)"
)


def _no_more() -> bytes:
    raise TransferFailure(END_OF_FILE, "End of file")


def _until_end(line: bytes) -> tuple[bytes, bool]:
    """The part of a line before a comment or the closing slash, and whether the slash was there."""
    quote = 0
    for k, c in enumerate(line):
        if quote:
            quote = 0 if c == quote else quote
        elif c in b"'\"":
            quote = c
        elif c == ord("!"):
            return line[:k], False
        elif c == ord("/") or line[k : k + 4].lower() in (b"&end", b"$end"):
            return line[:k], True
    return line, False


def _subscripted(storage: Any, subscripts: str) -> Any:
    if not subscripts:
        return storage
    if not isinstance(storage, Array):
        raise TransferFailure(BAD_VALUE, "subscripts of a scalar in namelist input")
    parts: list[Any] = []
    for text in subscripts.strip("()").split(","):
        if ":" in text:
            bounds = [int(b) if b.strip() else None for b in text.split(":")]
            parts.append((bounds[0], bounds[1], bounds[2] if len(bounds) > 2 else 1))
        else:
            parts.append(int(text))
    if all(isinstance(p, int) for p in parts):
        # values after the first go to the elements behind it
        if len(parts) == 1 and not isinstance(storage.data, RecordArray):
            start = parts[0] - storage.lower[0]
            return Array(storage.data[start:], (1,))
        return storage.data[(*section_index(storage, tuple(parts)), ...)]
    view = storage.data[(*section_index(storage, tuple(parts)), ...)]
    return Array(view, (1,) * len(view.shape))
