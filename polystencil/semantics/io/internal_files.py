"""Internal files: read and write of character variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from polystencil.semantics.io.failure import END_OF_FILE, TransferFailure
from polystencil.semantics.io.input import InputRecord, ListReader, read_formatted
from polystencil.semantics.io.items import scalar_storages, scalar_values
from polystencil.semantics.io.output import ListWriter, write_formatted
from polystencil.semantics.io.record import Record

Format = Any  # bytes, "*" for list-directed


def internal_records(storage: Any) -> list[Any]:
    """The records of an internal file: the 0-d storages of a character scalar or array."""
    return list(scalar_storages([storage]))


def write_internal(storage: Any, format_text: Format, items: Iterable[Any]) -> None:
    """write to a character variable: every record is padded with blanks."""
    places = internal_records(storage)
    width = places[0].dtype.itemsize if places else 0
    values = list(scalar_values(items))
    done = 0

    def end_record() -> None:
        nonlocal done
        if done >= len(places):
            raise TransferFailure(END_OF_FILE, "End of file")
        if width:
            places[done][...] = bytes(record.text).ljust(width)
        done += 1
        record.reset()

    record = Record(width)
    try:
        if format_text == "*":
            writer = ListWriter(record)
            for value in values:
                writer.write(value)
        else:
            write_formatted(record, format_text, values, end_record)
    except TransferFailure:
        if record.text:
            end_record()  # gfortran leaves what did fit
        raise
    end_record()


def read_internal(storage: Any, format_text: Format, targets: Iterable[Any]) -> int:
    """read from a character value or variable."""
    texts = [storage] if isinstance(storage, bytes) else [p.tobytes() for p in internal_records(storage)]
    lines = iter(texts)

    def next_line() -> bytes:
        line = next(lines, None)
        if line is None:
            raise TransferFailure(END_OF_FILE, "End of file")
        return line

    record = InputRecord(next_line)
    storages = scalar_storages(targets)
    if format_text == "*":
        reader = ListReader(record)
        for target in storages:
            reader.read(target)
        return 0
    return read_formatted(record, format_text, storages)
