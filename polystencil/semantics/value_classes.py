"""The classes of run-time values: arrays, allocatables, pointers, records (structures of arrays)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Union

import numpy as np

Data = Any  # ndarray or RecordArray: both have shape and are indexed alike
State = Literal["plain", "allocatable", "pointer"]


@dataclass(slots=True, eq=False)
class Array:
    """An array variable: `data` (any strides when it is a section) and the lower bound of each dimension."""

    data: Data
    lower: tuple[int, ...]

    @property
    def upper(self) -> tuple[int, ...]:
        return tuple(low + n - 1 for low, n in zip(self.lower, self.data.shape, strict=True))


@dataclass(slots=True, eq=False)
class Allocatable:
    """The cell of an allocatable variable or component: `value` is None, scalar storage, an Array or a Record."""

    value: Any = None


@dataclass(slots=True, eq=False)
class Pointer:
    """The cell of a pointer: `target` is None, scalar storage, an Array, a Record or a procedure."""

    target: Any = None


@dataclass(frozen=True, eq=False)
class Field:
    """A component: `element` is a dtype, a layout, or None (deferred length, class(*), procedure pointer).

    `shape` and `lower` are those of an explicit-shape component. `initial` is its default value, None for none.
    """

    name: str
    element: Element | None
    shape: tuple[int, ...] = ()
    lower: tuple[int, ...] = ()
    state: State = "plain"
    initial: Any = None


@dataclass(eq=False)
class RecordLayout:
    """A derived type: its id, components (inherited ones first) and the layout that it extends."""

    type_id: str
    fields: tuple[Field, ...] = ()
    parent: RecordLayout | None = None

    def extends(self, type_id: str) -> bool:
        """Whether this is the type `type_id` or an extension of it."""
        layout: RecordLayout | None = self
        while layout is not None:
            if layout.type_id == type_id:
                return True
            layout = layout.parent
        return False


Element = Union["np.dtype[Any]", RecordLayout]


@dataclass(slots=True, eq=False)
class Record:
    """A scalar of derived type: storage by component name; allocatable and pointer components are their cells."""

    layout: RecordLayout
    fields: dict[str, Any]

    @property
    def type_id(self) -> str:
        return self.layout.type_id


@dataclass(slots=True, eq=False)
class RecordArray:
    """An array of records: each leaf has the array's shape followed by the component's.

    Allocatable and pointer components are object ndarrays of cells. Elements and sections are views.
    """

    layout: RecordLayout
    fields: dict[str, Any]
    shape: tuple[int, ...]

    @property
    def type_id(self) -> str:
        return self.layout.type_id

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    def __getitem__(self, index: Any) -> Record | RecordArray:
        """`index`: () or ..., or one entry (int, slice or mutually broadcast integer arrays) per dimension."""
        if not isinstance(index, tuple):
            index = (index,)
        if index == (Ellipsis,):
            index = (slice(None),) * len(self.shape)
        if index and index[-1] is Ellipsis:
            index = index[:-1]
        if all(isinstance(i, (int, np.integer)) for i in index):
            return Record(self.layout, {name: _leaf_element(leaf, index) for name, leaf in self.fields.items()})
        shape = np.empty(self.shape, np.bool_)[index].shape if self.size < 64 else _indexed_shape(self.shape, index)
        fields = {name: _leaf_section(leaf, index, len(self.shape)) for name, leaf in self.fields.items()}
        return RecordArray(self.layout, fields, shape)


def _leaf_element(leaf: Any, index: tuple[Any, ...]) -> Any:
    if isinstance(leaf, RecordArray):
        rest = leaf.ndim - len(index)
        return leaf[index + (slice(None),) * rest] if rest else leaf[index]
    if leaf.dtype == object:
        return leaf[index]
    return leaf[(*index, Ellipsis)]


def _leaf_section(leaf: Any, index: tuple[Any, ...], rank: int) -> Any:
    if isinstance(leaf, RecordArray):
        return leaf[index + (slice(None),) * (leaf.ndim - rank)]
    return leaf[(*index, Ellipsis)]


def _indexed_shape(shape: tuple[int, ...], index: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(np.broadcast_to(np.bool_(False), shape)[index].shape)
