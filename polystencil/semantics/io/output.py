"""Formatted and list-directed output of scalars into records."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from polystencil.semantics.io import number_text as nt
from polystencil.semantics.io.failure import BAD_VALUE, TransferFailure
from polystencil.semantics.io.formats import DATA_CODES, REVERSION, Edit, Text, edits, has_data_edit, parse_format
from polystencil.semantics.io.record import Record

EndRecord = Callable[[], None]
_NAMES = {"i": "INTEGER", "f": "REAL", "b": "LOGICAL", "S": "CHARACTER", "c": "COMPLEX"}


def _type_name(value: Any) -> str:
    return "CHARACTER" if isinstance(value, bytes) else _NAMES[value.dtype.kind]


def edit_value(value: Any, edit: Edit, modes: nt.Modes, number: int, _text: bytes = b"") -> bytes:
    """One scalar (no complex) under one data edit descriptor; `number` counts items for the error message."""
    kind = "S" if isinstance(value, bytes) else value.dtype.kind
    code, width = edit.code, edit.width
    if code == "G":
        return _general(value, kind, edit, modes)
    if code == "A" and kind == "S":
        if width is None:
            return bytes(value)
        return bytes(value.rjust(width) if width > len(value) else value[:width])
    if code == "L" and kind == "b":
        return nt.logical_text(value, width)
    if code == "I" and kind == "i":
        return nt.integer_text(value, width, edit.digits, modes)
    if code in "BOZ" and kind in "ifS":
        return nt.radix_text(value, code, width, edit.digits)
    if code in ("F", "E", "D", "EN", "ES") and kind == "f":
        if width is None:
            width, digits, exponent = nt.LIST_REAL[nt.is_single(value)]
        else:
            digits, exponent = edit.digits or 0, edit.exponent  # type: ignore[assignment]  # None: the default
        if code == "F":
            return nt.fixed_text(value, width, digits, modes)
        return nt.exponential_text(value, code, width, digits, exponent, modes)
    wanted = {"I": "INTEGER", "A": "CHARACTER", "L": "LOGICAL"}.get(code, "REAL")
    raise TransferFailure(
        BAD_VALUE, f"Expected {wanted} for item {number} in formatted transfer, got {_type_name(value)}"
    )


def _general(value: Any, kind: str, edit: Edit, modes: nt.Modes) -> bytes:
    width = edit.width or 0
    if kind == "i":
        return nt.integer_text(value, width, None, modes)
    if kind == "b":
        return nt.logical_text(value, width)
    if kind == "S":
        return edit_value(value, Edit("A", width or None), modes, 0)
    if edit.digits is None:
        digits = nt.LIST_REAL[nt.is_single(value)][1]
        return nt.general_text(value, 0, digits, None, modes, as_list=modes.scale > 0)
    return nt.general_text(value, width, edit.digits, edit.exponent, modes)


def set_mode(edit: Edit, modes: nt.Modes) -> bool:
    """Obey a mode descriptor; false when it is none."""
    match edit.code:
        case "P":
            modes.scale = edit.width or 0
        case "S" | "SS":
            modes.plus = False
        case "SP":
            modes.plus = True
        case "RU" | "RD" | "RZ" | "RN" | "RC" | "RP":
            modes.rounding = edit.code
        case "DC" | "DP":
            modes.comma = edit.code == "DC"
        case "BN" | "BZ":
            modes.blank_zero = edit.code == "BZ"
        case _:
            return False
    return True


def _split_complex(values: Iterable[Any]) -> Iterable[Any]:
    for value in values:
        if not isinstance(value, bytes) and value.dtype.kind == "c":
            yield from nt.parts_of(value)
        else:
            yield value


def write_formatted(
    record: Record, format_text: bytes, values: Iterable[Any], end_record: EndRecord, modes: nt.Modes | None = None
) -> None:
    """Write scalars under a format; `end_record` finishes the current record and starts the next (in `record`)."""
    items = parse_format(format_text)
    modes = nt.Modes() if modes is None else modes
    stream = iter(_split_complex(values))
    value = next(stream, None)
    number = 1
    if value is not None and not has_data_edit(items):
        raise TransferFailure(5006, f"no data edit descriptor for an item in format {format_text.decode('latin-1')}")
    for edit in edits(items):
        if isinstance(edit, Text):
            record.put(edit.value)
        elif edit is REVERSION:
            if value is None:
                return
            end_record()
        elif edit.code in DATA_CODES:
            if value is None:
                return
            record.put(edit_value(value, edit, modes, number))
            value = next(stream, None)
            number += 1
        elif not set_mode(edit, modes):
            if edit.code == ":" and value is None:
                return
            _move(record, edit, end_record)


def _move(record: Record, edit: Edit, end_record: EndRecord) -> None:
    amount = edit.width or 0
    match edit.code:
        case "/":
            end_record()
        case "X" | "TR":
            record.move_to(record.at + amount)
        case "TL":
            record.move_to(record.at - amount)
        case "T":
            record.move_to(amount - 1)
        case _:
            pass


_INTEGER_WIDTH = {1: 4, 2: 6, 4: 11, 8: 20}


class ListWriter:
    """List-directed output of one statement: a blank before the first item and between all but adjoining text."""

    def __init__(self, record: Record, delimiter: str = "none") -> None:
        self.record, self.delimiter = record, delimiter
        self.first, self.after_text = True, False

    def write(self, value: Any) -> None:
        """One scalar."""
        is_text = isinstance(value, bytes)
        if self.first or not (is_text and self.after_text and self.delimiter == "none"):
            self.record.put(b" ")
        self.first, self.after_text = False, is_text
        self.record.put(list_text(value, self.delimiter))


def list_text(value: Any, delimiter: str = "none") -> bytes:
    """A scalar as list-directed output shows it, without the separating blank."""
    if isinstance(value, bytes):
        if delimiter == "none":
            return value
        mark = b"'" if delimiter == "apostrophe" else b'"'
        return mark + value.replace(mark, mark + mark) + mark
    kind = value.dtype.kind
    if kind == "b":
        return b"T" if value else b"F"
    if kind == "i":
        return str(int(value)).rjust(_INTEGER_WIDTH[value.dtype.itemsize]).encode()
    if kind == "f":
        return list_real(value)
    width = {True: 16, False: 25}[nt.is_single(value)]
    inside = b",".join(_part_text(part) for part in nt.parts_of(value))
    return (b"(" + inside + b")").rjust(2 * width + 3 if width == 25 else 35)


def _part_text(part: Any) -> bytes:
    return list_real(part, as_list=False).strip().replace(b"Infinity", b"Inf")


def list_real(value: Any, as_list: bool = True) -> bytes:
    """A real as list-directed output shows it; the parts of complex numbers have a digit more in the E form."""
    width, digits, exponent = nt.LIST_REAL[nt.is_single(value)]
    return nt.general_text(value, width, digits, exponent, nt.Modes(scale=1), as_list=as_list)
