"""From output and input lists to the scalars that edit descriptors see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from polystencil.semantics.io.failure import TransferFailure
from polystencil.semantics.rearrangement import gather
from polystencil.semantics.values import Allocatable, Array, Pointer, Record, RecordArray, elements_as_bytes


def scalar_values(items: Iterable[Any]) -> Iterator[Any]:
    """Every scalar value of an output list: array elements in order, components in order."""
    for item in items:
        if isinstance(item, Array):
            item = item.data
        if isinstance(item, bytes):
            yield item
        elif isinstance(item, Record):
            yield from scalar_values(_components(item))
        elif isinstance(item, RecordArray):
            flat = gather(item, np.arange(item.size))
            for k in range(item.size):
                yield from scalar_values(_components(flat[k]))
        elif item.dtype.kind == "S":
            yield from elements_as_bytes(item)
        elif item.shape == ():
            yield item[()]
        else:
            yield from item.ravel(order="F")


def scalar_storages(targets: Iterable[Any]) -> Iterator[Any]:
    """The 0-d storage of every scalar of an input list; the list may be a generator and is taken lazily."""
    for target in targets:
        data = target.data if isinstance(target, Array) else target
        if isinstance(data, Record):
            yield from scalar_storages(_components(data))
        elif isinstance(data, RecordArray):
            for index in _element_order(data.shape):
                yield from scalar_storages(_components(data[index]))
        elif data.shape == ():
            yield data
        else:
            for index in _element_order(data.shape):
                yield data[(*index, ...)]


def _element_order(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return (tuple(reversed(index)) for index in np.ndindex(tuple(reversed(shape))))


def _components(record: Any) -> list[Any]:
    out = []
    for value in record.fields.values():
        if isinstance(value, Allocatable | Pointer):
            raise TransferFailure(5010, "an allocatable or pointer component in an input or output list")
        out.append(value)
    return out
