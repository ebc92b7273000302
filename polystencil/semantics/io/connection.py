"""One connected unit: its file, its state, what inquire tells of it."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass, field
from typing import IO, Any

from polystencil.semantics.io.failure import TransferFailure
from polystencil.semantics.io.record import Record


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


def byte_stream(stream: Any) -> Any:
    """Something with write(bytes) and read for any text or binary stream."""
    return getattr(stream, "buffer", stream)


def put(stream: Any, raw: bytes) -> None:
    """Write to a text or binary stream."""
    if isinstance(stream, io.TextIOBase):
        stream.write(raw.decode("utf-8", errors="surrogateescape"))
    else:
        stream.write(raw)


def open_file(name: str, status: str, action: str) -> IO[bytes]:
    """The file of an open statement."""
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


def description(u: Unit | None, exists: bool, size: int, file: bytes | None) -> dict[str, Any]:
    """What inquire tells of a unit (None: not connected), by specifier: bool, int or bytes."""
    undefined = b"UNDEFINED"
    form = undefined if u is None else b"FORMATTED" if u.formatted else b"UNFORMATTED"
    return {
        "exist": exists, "opened": u is not None, "number": -1 if u is None else u.number,
        "named": u is not None and bool(u.name), "name": (file or b"").rstrip(b" ") if u is None else u.name,
        "access": undefined if u is None else u.access.upper().encode(), "form": form,
        "action": undefined if u is None else u.action.upper().encode(),
        "recl": 1073741824 if u is None or not u.recl else u.recl,
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
