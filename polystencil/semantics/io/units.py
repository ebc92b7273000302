"""External and internal units: what read, write, open, close, inquire, rewind and backspace do to files."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np

from polystencil.semantics.io.failure import END_OF_FILE, TransferFailure
from polystencil.semantics.io.input import InputRecord, ListReader, read_formatted
from polystencil.semantics.io.items import scalar_storages, scalar_values
from polystencil.semantics.io.output import ListWriter, write_formatted
from polystencil.semantics.io.record import Record
from polystencil.semantics.transfer import to_bytes

Format = Any  # bytes, "*" for list-directed, None for unformatted


@dataclass(eq=False)
class Unit:
    """A connected external unit."""

    number: int
    stream: Any
    name: bytes = b""
    formatted: bool = True
    access: str = "sequential"
    action: str = "readwrite"
    status: str = "unknown"
    recl: int = 0
    delimiter: str = "none"
    pad: bool = True
    record: Record = field(default_factory=Record)  # output that waits for the end of its record
    line: bytes | None = None  # the rest of an input record after advance='no'
    at: int = 0
    at_end: bool = False
    writing: bool = False


def _byte_stream(stream: Any) -> Any:
    """Something with write(bytes) and read for any text or binary stream."""
    return getattr(stream, "buffer", stream)


class Units:
    """All units of one run."""

    def __init__(self, stdin: Any = None, stdout: Any = None, stderr: Any = None) -> None:
        self.units: dict[int, Unit] = {
            5: Unit(5, _byte_stream(sys.stdin if stdin is None else stdin), b"stdin", action="read"),
            6: Unit(6, _byte_stream(sys.stdout if stdout is None else stdout), b"stdout", action="write"),
            0: Unit(0, _byte_stream(sys.stderr if stderr is None else stderr), b"stderr", action="write"),
        }
        self.newunit = -10

    # ---- writing ----

    def write(
        self, unit: Any, format_text: Format, items: Iterable[Any], advance: bool = True, rec: Any = None, pos: Any = None
    ) -> None:
        """write and print. `unit`: None or -1 for `*`, a number; an internal file goes to `write_internal`."""
        u = self._connected(6 if unit is None else int(unit), format_text)
        values = list(scalar_values(items))
        self._place(u, rec, pos)
        self._start_writing(u)
        if format_text is None:
            self._write_unformatted(u, values)
            return
        if format_text == "*":
            writer = ListWriter(u.record, u.delimiter)
            for value in values:
                writer.write(value)
        else:
            write_formatted(u.record, format_text, values, lambda: self._end_record(u))
        if advance:
            self._end_record(u)

    def _start_writing(self, u: Unit) -> None:
        if u.action == "read":
            raise TransferFailure(5003, "Cannot write to file opened for READ")
        if not u.writing and u.number not in (0, 6):
            if u.line is not None:
                u.line = None
            if u.access == "sequential":
                u.stream.truncate()
            u.writing = True

    def _end_record(self, u: Unit) -> None:
        text = bytes(u.record.text)
        if u.access == "direct":
            _put(u.stream, text.ljust(u.recl)[: u.recl])
        else:
            _put(u.stream, text + b"\n")
        u.record = _reset(u.record)

    def _write_unformatted(self, u: Unit, values: list[Any]) -> None:
        raw = b"".join(to_bytes(v) for v in values)
        if u.access == "sequential":
            mark = len(raw).to_bytes(4, "little")
            u.stream.write(mark + raw + mark)
        elif u.access == "direct":
            u.stream.write(raw.ljust(u.recl, b"\0"))
        else:
            u.stream.write(raw)

    # ---- reading ----

    def read(
        self, unit: Any, format_text: Format, targets: Iterable[Any], advance: bool = True, rec: Any = None, pos: Any = None
    ) -> int:
        """read into storages (taken lazily); gives the number of characters for size=."""
        u = self._connected(5 if unit is None else int(unit), format_text)
        if u.action == "write":
            raise TransferFailure(5003, "Cannot read from file opened for WRITE")
        self._place(u, rec, pos)
        self._start_reading(u)
        storages = scalar_storages(targets)
        if format_text is None:
            self._read_unformatted(u, storages)
            return 0

        def next_line() -> bytes:
            return self._next_line(u)

        record = InputRecord(next_line, u.line, u.at if u.line is not None else 0)
        u.line = None
        if format_text == "*":
            reader = ListReader(record)
            for storage in storages:
                reader.read(storage)
            return 0
        taken = read_formatted(record, format_text, storages, u.pad, stop_at_end=not advance)
        if not advance:
            u.line, u.at = record.text, record.at
        return taken

    def line_reader(self, unit: Any) -> Callable[[], bytes]:
        """The records of a unit one after the other, for namelist input."""
        u = self._connected(5 if unit is None else int(unit), "*")
        self._start_reading(u)
        return lambda: self._next_line(u)

    def _start_reading(self, u: Unit) -> None:
        if u.writing:
            self._flush_record(u)
            u.stream.flush()
            u.writing = False

    def _next_line(self, u: Unit) -> bytes:
        if u.access == "direct":
            raw = u.stream.read(u.recl)
            if len(raw) < u.recl:
                raise TransferFailure(5002, "Non-existing record number")
            return bytes(raw)
        line = u.stream.readline()
        if isinstance(line, str):
            line = line.encode()
        if not line:
            if u.at_end:
                raise TransferFailure(END_OF_FILE if u.access == "stream" else 5001 if u.number != 5 else END_OF_FILE,
                                      "Sequential READ or WRITE not allowed after EOF marker, possibly use REWIND or BACKSPACE"
                                      if u.number != 5 else "End of file")  # fmt: skip
            u.at_end = True
            raise TransferFailure(END_OF_FILE, "End of file")
        return bytes(line.rstrip(b"\n").rstrip(b"\r"))

    def _read_unformatted(self, u: Unit, storages: Iterator[Any]) -> None:
        if u.access == "sequential":
            head = u.stream.read(4)
            if len(head) < 4:
                raise TransferFailure(END_OF_FILE, "End of file")
            size = int.from_bytes(head, "little")
            source: Any = io.BytesIO(u.stream.read(size))
            u.stream.read(4)
            short = TransferFailure(-2, "I/O past end of record on unformatted file")
        else:
            source = io.BytesIO(u.stream.read(u.recl)) if u.access == "direct" else u.stream
            short = TransferFailure(END_OF_FILE, "End of file")
        for storage in storages:
            dtype = storage.dtype
            width = 4 if dtype.kind == "b" else dtype.itemsize
            raw = source.read(width)
            if len(raw) < width:
                raise short
            if dtype.kind == "S":
                storage[...] = raw
            else:
                storage[...] = np.frombuffer(raw, np.int32 if dtype.kind == "b" else dtype)[0]

    def _place(self, u: Unit, rec: Any, pos: Any) -> None:
        if rec is not None:
            u.stream.seek((int(rec) - 1) * u.recl)
        if pos is not None:
            self._flush_record(u)
            u.stream.seek(int(pos) - 1)
            u.line = None

    def _flush_record(self, u: Unit) -> None:
        if u.record.text:
            _put(u.stream, bytes(u.record.text) + (b"" if u.access == "stream" else b"\n"))
            u.record = _reset(u.record)

    # ---- connection ----

    def _connected(self, number: int, format_text: Format) -> Unit:
        if number not in self.units:
            if number < 0:
                raise TransferFailure(5005, "Unit number in I/O statement too small")
            self.open({"unit": number, "file": f"fort.{number}".encode(), "form": b"formatted" if format_text is not None else b"unformatted"})
        u = self.units[number]
        if (format_text is not None) != u.formatted and u.access != "stream":
            kind = ("Formatted", "UNFORMATTED") if format_text is not None else ("Unformatted", "FORMATTED")
            raise TransferFailure(5002, f"Format {'present' if format_text is not None else 'missing'} for {kind[1]} data transfer")
        return u

    def open(self, controls: dict[str, Any]) -> int:
        """open; gives the unit number (a fresh negative one for newunit)."""
        def word(name: str, default: str) -> str:
            value = controls.get(name)
            return default if value is None else value.decode("latin-1").strip().lower()

        if "unit" in controls and controls["unit"] is not None:
            number = int(controls["unit"])
        else:
            number, self.newunit = self.newunit, self.newunit - 1
        access, status, action = word("access", "sequential"), word("status", "unknown"), word("action", "readwrite")
        formatted = word("form", "formatted" if access == "sequential" else "unformatted") == "formatted"
        raw = controls.get("file")
        scratch = status == "scratch"
        name = b"" if scratch else (f"fort.{number}".encode() if raw is None else raw.rstrip(b" "))
        if number in self.units and number not in (0, 5, 6):
            self.close(number)
        stream: Any
        if scratch:
            stream = io.BytesIO()
        else:
            stream = _open_file(name.decode(errors="surrogateescape"), status, action)
        position = word("position", "asis")
        if position == "append":
            stream.seek(0, os.SEEK_END)
        recl = controls.get("recl")
        self.units[number] = Unit(
            number, stream, name, formatted, access, action, status, 0 if recl is None else int(recl),
            word("delim", "none"), word("pad", "yes") == "yes",
        )  # fmt: skip
        return number

    def close(self, number: Any, status: bytes | None = None) -> None:
        """close; nothing happens when the unit is not connected."""
        u = self.units.pop(int(number), None)
        if u is None:
            return
        self._flush_record(u)
        if u.number in (0, 5, 6):
            u.stream.flush()
            return
        u.stream.close()
        if status is not None and status.strip().lower() == b"delete" and u.name:
            os.remove(u.name)

    def rewind(self, number: Any) -> None:
        u = self._known(number)
        if u is None:
            return
        self._start_reading(u)
        u.stream.seek(0)
        u.line, u.at_end = None, False

    def backspace(self, number: Any) -> None:
        """To before the preceding record."""
        u = self._known(number)
        if u is None:
            return
        self._start_reading(u)
        u.line, u.at_end = None, False
        here = u.stream.tell()
        u.stream.seek(0)
        if u.formatted:
            before = u.stream.read(here)
            u.stream.seek(before.rfind(b"\n", 0, max(0, len(before) - 1)) + 1)
            return
        previous = 0
        while u.stream.tell() < here:
            previous = u.stream.tell()
            size = int.from_bytes(u.stream.read(4), "little")
            u.stream.seek(size + 4, os.SEEK_CUR)
        u.stream.seek(previous)

    def endfile(self, number: Any) -> None:
        u = self._known(number)
        if u is not None:
            self._flush_record(u)
            u.stream.truncate()
            u.at_end = True

    def flush(self, number: Any = None) -> None:
        for u in list(self.units.values()) if number is None else filter(None, [self._known(number)]):
            if u.action != "read" and u.number != 5:
                u.stream.flush()

    def _known(self, number: Any) -> Unit | None:
        return self.units.get(int(number))

    def finish(self) -> None:
        """At the end of the program: close every file, flush the standard units."""
        for number in list(self.units):
            if number not in (0, 5, 6):
                self.close(number)
        for number in (6, 0):
            if number in self.units:
                self._flush_record(self.units[number])
                self.units[number].stream.flush()

    def inquire(self, unit: Any = None, file: bytes | None = None) -> dict[str, Any]:
        """What inquire tells, by specifier: bool, int or bytes."""
        if unit is not None:
            u = self.units.get(int(unit))
            exists = u is not None or int(unit) >= 0
        else:
            name = (file or b"").rstrip(b" ")
            u = next((v for v in self.units.values() if v.name == name), None)
            exists = os.path.exists(name)
        connected = u is not None
        size = -1
        if u is not None and u.name and os.path.exists(u.name):
            if u.writing:
                u.stream.flush()
            size = os.path.getsize(u.name)
        elif u is None and file is not None and exists:
            size = os.path.getsize(file.rstrip(b" "))
        undefined = b"UNDEFINED"
        form = undefined if u is None else b"FORMATTED" if u.formatted else b"UNFORMATTED"
        return {
            "exist": exists, "opened": connected, "number": -1 if u is None else u.number,
            "named": u is not None and bool(u.name), "name": (file or b"").rstrip(b" ") if u is None else u.name,
            "access": undefined if u is None else u.access.upper().encode(), "form": form,
            "action": undefined if u is None else u.action.upper().encode(), "recl": 1073741824 if u is None or not u.recl else u.recl,
            "size": size, "pos": 0 if u is None or u.access != "stream" else u.stream.tell() + 1 + len(u.record.text),
            "nextrec": 0 if u is None or not u.recl else u.stream.tell() // u.recl + 1,
            "sequential": b"YES" if u is not None and u.access == "sequential" else b"NO" if u else b"UNKNOWN",
            "stream": b"YES" if u is not None and u.access == "stream" else b"NO" if u else b"UNKNOWN",
            "direct": b"YES" if u is not None and u.access == "direct" else b"NO" if u else b"UNKNOWN",
            "formatted": b"YES" if u is not None and u.formatted else b"NO" if u else b"UNKNOWN",
            "unformatted": b"NO" if u is not None and u.formatted else b"YES" if u else b"UNKNOWN",
            "read": b"YES" if u is not None and u.action != "write" else b"NO" if u else b"UNKNOWN",
            "write": b"YES" if u is not None and u.action != "read" else b"NO" if u else b"UNKNOWN",
            "readwrite": b"YES" if u is not None and u.action == "readwrite" else b"NO" if u else b"UNKNOWN",
            "position": undefined if u is None else b"ASIS", "blank": b"NULL", "delim": b"NONE", "pad": b"YES",
            "asynchronous": b"NO", "pending": False,
        }  # fmt: skip


def _reset(record: Record) -> Record:
    record.text.clear()
    record.at = 0
    return record


def _put(stream: Any, raw: bytes) -> None:
    if isinstance(stream, io.TextIOBase):
        stream.write(raw.decode("utf-8", errors="surrogateescape"))
    else:
        stream.write(raw)


def _open_file(name: str, status: str, action: str) -> BinaryIO:
    exists = os.path.exists(name)
    if status == "old" and not exists:
        raise TransferFailure(2, f"Cannot open file '{name}': No such file or directory")
    if status == "new" and exists:
        raise TransferFailure(17, f"File '{name}' already exists")
    mode = "rb" if action == "read" and exists else "w+b" if status == "replace" or not exists else "r+b"
    try:
        return open(name, mode)
    except OSError as error:
        if mode == "r+b" and action == "readwrite":
            return open(name, "rb")
        raise TransferFailure(error.errno or 1, f"Cannot open file '{name}': {error.strerror}") from None


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
        _reset(record)

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
