"""External and internal units: what read, write, open, close, inquire, rewind and backspace do to files.

One state, the connected units, so one file.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from polystencil.semantics.io.connection import Unit, byte_stream, description, open_file, put
from polystencil.semantics.io.failure import END_OF_FILE, TransferFailure
from polystencil.semantics.io.input import InputRecord, ListReader, read_formatted
from polystencil.semantics.io.internal_files import read_internal as read_internal
from polystencil.semantics.io.internal_files import write_internal as write_internal
from polystencil.semantics.io.items import scalar_storages, scalar_values
from polystencil.semantics.io.output import ListWriter, write_formatted
from polystencil.semantics.transfer import to_bytes

Format = Any  # bytes, "*" for list-directed, None for unformatted


class Units:
    """All units of one run."""

    def __init__(self, stdin: Any = None, stdout: Any = None, stderr: Any = None) -> None:
        self.units: dict[int, Unit] = {
            5: Unit(5, byte_stream(sys.stdin if stdin is None else stdin), b"stdin", action="read"),
            6: Unit(6, byte_stream(sys.stdout if stdout is None else stdout), b"stdout", action="write"),
            0: Unit(0, byte_stream(sys.stderr if stderr is None else stderr), b"stderr", action="write"),
        }
        self.newunit = -10

    # ---- writing ----

    def write(
        self,
        unit: Any,
        format_text: Format,
        items: Iterable[Any],
        advance: bool = True,
        rec: Any = None,
        pos: Any = None,
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
            put(u.stream, text.ljust(u.recl)[: u.recl])
        else:
            put(u.stream, text + b"\n")
        u.record.reset()

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
        self,
        unit: Any,
        format_text: Format,
        targets: Iterable[Any],
        advance: bool = True,
        rec: Any = None,
        pos: Any = None,
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
            if u.at_end and u.access != "stream" and u.number != 5:
                why = "Sequential READ or WRITE not allowed after EOF marker, possibly use REWIND or BACKSPACE"
                raise TransferFailure(5001, why)
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
            put(u.stream, bytes(u.record.text) + (b"" if u.access == "stream" else b"\n"))
            u.record.reset()

    # ---- connection ----

    def _connected(self, number: int, format_text: Format) -> Unit:
        if number not in self.units:
            if number < 0:
                raise TransferFailure(5005, "Unit number in I/O statement too small")
            form = b"unformatted" if format_text is None else b"formatted"
            self.open({"unit": number, "file": f"fort.{number}".encode(), "form": form})
        u = self.units[number]
        if (format_text is not None) != u.formatted and u.access != "stream":
            if format_text is None:
                raise TransferFailure(5002, "Format missing for FORMATTED data transfer")
            raise TransferFailure(5002, "Format present for UNFORMATTED data transfer")
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
            stream = open_file(name.decode(errors="surrogateescape"), status, action)
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
        size = -1
        if u is not None and u.name and os.path.exists(u.name):
            if u.writing:
                u.stream.flush()
            size = os.path.getsize(u.name)
        elif u is None and file is not None and exists:
            size = os.path.getsize(file.rstrip(b" "))
        return description(u, exists, size, file)
