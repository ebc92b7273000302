"""transfer(): the bytes of one value as a value of another type."""

from __future__ import annotations

from typing import Any

import numpy as np

from polystencil.semantics.values import Element, Record, RecordArray, RecordLayout, new_data


def _width(dtype: np.dtype[Any]) -> int:
    return 4 if dtype.kind == "b" else dtype.itemsize


def element_size(element: Element) -> int:
    """Bytes of one element as gfortran stores it (default logicals take 4, records are aligned)."""
    if not isinstance(element, RecordLayout):
        return _width(element)
    offset, widest = 0, 1
    for place, size, align, _ in _fields(element):
        offset, widest = place + size, max(widest, align)
    return -(-offset // widest) * widest


def _alignment(element: Element) -> int:
    if isinstance(element, RecordLayout):
        return max((align for _, _, align, _ in _fields(element)), default=1)
    if element.kind == "S":
        return 1
    return _width(element) // (2 if element.kind == "c" else 1)


def _fields(layout: RecordLayout) -> list[tuple[int, int, int, Any]]:
    """(offset, size, alignment, field) of every component; cells count as one address."""
    out, offset = [], 0
    for field in layout.fields:
        if field.state == "plain" and field.element is not None:
            align = _alignment(field.element)
            size = element_size(field.element) * int(np.prod(field.shape, dtype=np.int64))
        else:
            align = size = 8
        offset = -(-offset // align) * align
        out.append((offset, size, align, field))
        offset += size
    return out


def to_bytes(value: Any) -> bytes:
    """The bytes of a value in element order."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, Record):
        out = bytearray(element_size(value.layout))
        for offset, size, _, field in _fields(value.layout):
            if field.state == "plain":
                out[offset : offset + size] = to_bytes(value.fields[field.name])
        return bytes(out)
    if isinstance(value, RecordArray):
        from polystencil.semantics.rearrangement import gather

        flat = gather(value, np.arange(value.size))
        return b"".join(to_bytes(flat[k]) for k in range(value.size))
    if value.dtype.kind == "b":
        value = value.astype(np.int32)
    return bytes(value.tobytes(order="F"))


def _from_bytes(raw: bytes, element: Element, count: int) -> Any:
    if isinstance(element, RecordLayout):
        data = new_data(element, (count,))
        size = element_size(element)
        for k in range(count):
            record, part = data[k], raw[k * size : (k + 1) * size]
            for offset, length, _, field in _fields(element):
                if field.state == "plain":
                    n = int(np.prod(field.shape, dtype=np.int64))
                    values = _from_bytes(part[offset : offset + length], field.element, n)
                    _store(record.fields[field.name], values, field.shape)
        return data
    if element.kind == "b":
        return (np.frombuffer(raw, np.int32, count) & 1).astype(np.bool_)
    return np.frombuffer(raw, element, count).copy()


def _store(target: Any, values: Any, shape: tuple[int, ...]) -> None:
    from polystencil.semantics.assignment import assign
    from polystencil.semantics.association import reshaped

    assign(target, reshaped(values, shape) if shape else values[0])


def transfer(source: Any, mold: Any, size: Any = None) -> Any:
    """transfer(source, mold[, size]): a scalar when `mold` is one and there is no size."""
    from polystencil.semantics.values import element_of, shape_of

    raw, element = to_bytes(source), element_of(mold)
    width = element_size(element)
    scalar = size is None and shape_of(mold) == ()
    if size is not None:
        count = int(size)
    else:
        count = 1 if scalar else (-(-len(raw) // width) if width else 0)
    raw = raw[: count * width].ljust(count * width, b"\0")
    out = _from_bytes(raw, element, count)
    if not scalar:
        return out
    if isinstance(element, np.dtype) and element.kind == "S":
        return raw
    return out[0]
