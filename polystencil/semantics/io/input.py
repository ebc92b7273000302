"""Formatted and list-directed input into scalar storage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from polystencil.semantics.assignment import assign
from polystencil.semantics.io import number_text as nt
from polystencil.semantics.io.failure import BAD_VALUE, END_OF_RECORD, TransferFailure
from polystencil.semantics.io.formats import DATA_CODES, REVERSION, Edit, Text, edits, has_data_edit, parse_format
from polystencil.semantics.io.number_parsing import parse_integer, parse_logical, parse_real
from polystencil.semantics.io.output import set_mode

NextLine = Callable[[], bytes]


class InputRecord:
    """The current record and the position in it; `next_line` gives the following one or fails at the end."""

    def __init__(self, next_line: NextLine, text: bytes | None = None, at: int = 0) -> None:
        self.next_line, self.at = next_line, at
        self.text = next_line() if text is None else text
        self.reached_end = False

    def take(self, width: int) -> bytes:
        """`width` characters; short records are padded with blanks."""
        piece = self.text[self.at : self.at + width]
        self.at += width
        if len(piece) < width:
            self.reached_end = True
        return piece.ljust(width)

    def advance(self) -> None:
        self.text, self.at = self.next_line(), 0


def read_formatted(
    record: InputRecord, format_text: bytes, targets: Iterator[Any], pad: bool = True, stop_at_end: bool = False
) -> int:
    """Read scalars under a format; gives the characters taken. `stop_at_end`: end of record with advance='no' fails."""
    items = parse_format(format_text)
    modes, taken, number = nt.Modes(), 0, 1
    pending: list[Any] = []
    target = _next_target(targets, pending)
    if target is not None and not has_data_edit(items):
        raise TransferFailure(5006, "no data edit descriptor for an item of the input list")
    for edit in edits(items):
        if isinstance(edit, Text):
            record.take(len(edit.value))
        elif edit is REVERSION:
            if target is None:
                return taken
            record.advance()
        elif edit.code in DATA_CODES:
            if target is None:
                return taken
            width = edit.width
            if not width:
                width = target.dtype.itemsize if target.dtype.kind == "S" else len(record.text) - record.at
            available = len(record.text) - record.at
            taken += min(width, max(0, available))
            if available < width and (stop_at_end or not pad):
                if stop_at_end and pad and available >= 0:
                    _store(target, record.take(width), edit, modes, number)
                failure = TransferFailure(END_OF_RECORD, "End of record")
                failure.taken = taken
                raise failure
            _store(target, record.take(width), edit, modes, number)
            target = _next_target(targets, pending)
            number += 1
        elif not set_mode(edit, modes):
            if edit.code == ":" and target is None:
                return taken
            _move(record, edit)
    return taken


def _next_target(targets: Iterator[Any], pending: list[Any]) -> Any:
    """The next real storage; a complex one counts as its two parts."""
    if pending:
        return pending.pop()
    target = next(targets, None)
    if target is not None and target.dtype.kind == "c":
        pending.append(target.imag)
        return target.real
    return target


def _move(record: InputRecord, edit: Edit) -> None:
    amount = edit.width or 0
    match edit.code:
        case "/":
            record.advance()
        case "X" | "TR":
            record.at += amount
        case "TL":
            record.at = max(0, record.at - amount)
        case "T":
            record.at = amount - 1
        case _:
            pass


def _store(target: Any, field: bytes, edit: Edit, modes: nt.Modes, number: int) -> None:
    kind, code = target.dtype.kind, edit.code
    if kind == "S" and code in ("A", "G"):
        length = target.dtype.itemsize
        assign(target, field[len(field) - length :] if len(field) > length else field)
        return
    text = field.replace(b" ", b"0") if modes.blank_zero else field.replace(b" ", b"")
    if modes.comma:
        text = text.replace(b",", b".")
    elif b"," in text:
        text = text[: text.index(b",")]
    value: Any = None
    if kind == "i" and code in ("I", "G"):
        value = parse_integer(text or b"0", target.dtype)
        what = "integer"
    elif kind in "if" and code in "BOZ":
        value, what = _parse_bits(text, code, target.dtype), "integer"
    elif kind == "f" and code in ("F", "E", "D", "EN", "ES", "G"):
        value = parse_real(text or b"0", target.dtype, edit.digits or 0, modes.scale)
        what = "floating point"
    elif kind == "b" and code in ("L", "G"):
        value, what = (parse_logical(text) if text else np.False_), "logical"
    else:
        raise TransferFailure(BAD_VALUE, f"wrong type for item {number} in formatted transfer")
    if value is None:
        raise TransferFailure(BAD_VALUE, f"Bad value {'on' if kind == 'b' else 'during'} {what} read")
    target[...] = value


def _parse_bits(text: bytes, code: str, dtype: np.dtype[Any]) -> Any:
    try:
        bits = int(text or b"0", {"B": 2, "O": 8, "Z": 16}[code])
        return np.frombuffer(bits.to_bytes(dtype.itemsize, "little"), dtype)[0]
    except (ValueError, OverflowError):
        return None


class ListReader:
    """List-directed input of one statement: values between blanks, commas and ends of records; `/` ends it."""

    def __init__(self, record: InputRecord) -> None:
        self.record = record
        self.repeat, self.value = 0, b""
        self.quoted = self.finished = False
        self.at_start = True
        self.number = 0

    def read(self, target: Any) -> None:
        """The next value into a scalar; a null value leaves it as it is."""
        self.number += 1
        if self.finished:
            return
        if self.repeat == 0:
            self._next_item(target.dtype.kind)
            if self.finished:
                return
        self.repeat -= 1
        if self.value is not None:
            self._store(target)

    def _skip(self) -> bytes:
        """To the next character that is no blank, over ends of records; the character itself."""
        while True:
            text = self.record.text
            while self.record.at < len(text) and text[self.record.at] in b" \t\r\n":
                self.record.at += 1
            if self.record.at < len(text):
                return text[self.record.at : self.record.at + 1]
            self.record.advance()

    def _next_item(self, kind: str) -> None:
        c = self._skip()
        if not self.at_start and c == b",":
            self.record.at += 1
            c = self._skip()
        self.at_start = False
        self.repeat, self.quoted = 1, False
        if c == b"/":
            self.finished = True
            return
        if c == b",":
            self.value = None  # type: ignore[assignment]  # a null value
            return
        digits = self.record.at
        text = self.record.text
        while digits < len(text) and text[digits : digits + 1].isdigit():
            digits += 1
        if digits > self.record.at and text[digits : digits + 1] == b"*":
            self.repeat = int(text[self.record.at : digits])
            self.record.at = digits + 1
            c = text[digits + 1 : digits + 2]
            if c in (b"", b" ", b",", b"/", b"\t"):
                self.value = None  # type: ignore[assignment]  # null values
                return
        if c in (b"'", b'"') and kind == "S":
            self.value, self.quoted = self._quoted(c), True
        elif c == b"(" and kind == "c":
            self.value = self._parenthesised()
        else:
            end = self.record.at
            while end < len(text) and text[end] not in b" \t,/;\r\n" :
                end += 1
            self.value = text[self.record.at : end]
            self.record.at = end

    def _quoted(self, mark: bytes) -> bytes:
        out = b""
        self.record.at += 1
        while True:
            end = self.record.text.find(mark, self.record.at)
            if end < 0:
                out += self.record.text[self.record.at :]
                self.record.advance()
                continue
            out += self.record.text[self.record.at : end]
            self.record.at = end + 1
            if self.record.text[end + 1 : end + 2] != mark:
                return out
            out += mark
            self.record.at = end + 2

    def _parenthesised(self) -> bytes:
        out = b""
        while True:
            end = self.record.text.find(b")", self.record.at)
            if end >= 0:
                out += self.record.text[self.record.at : end + 1]
                self.record.at = end + 1
                return out
            out += self.record.text[self.record.at :]
            self.record.advance()

    def _store(self, target: Any) -> None:
        kind, text, value = target.dtype.kind, self.value, None
        if kind == "S":
            assign(target, text)
            return
        if kind == "i":
            value, why = parse_integer(text, target.dtype), f"Bad integer for item {self.number} in list input"
        elif kind == "f":
            value, why = parse_real(text, target.dtype), f"Bad real number in item {self.number} of list input"
        elif kind == "b":
            value, why = parse_logical(text), f"Bad logical value while reading item {self.number}"
        else:
            part = np.dtype(np.float32 if target.dtype == np.complex64 else np.float64)
            parts = [parse_real(p.strip(), part) for p in text.strip(b"()").split(b",")]
            why = f"Bad complex value in item {self.number} of list input"
            if len(parts) == 2 and None not in parts:
                value = complex(*(float(p) for p in parts))
        if value is None:
            raise TransferFailure(BAD_VALUE, why)
        target[...] = value
