"""Types of values: what a scalar or one element of an array is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Union
from typing import Literal as OneOf

if TYPE_CHECKING:
    from polystencil.ir.expressions import Expression

Base = OneOf["integer", "real", "complex", "logical", "character"]


@dataclass(frozen=True)
class Intrinsic:
    """An intrinsic type. `kind` is the number of bytes (of one part, for complex).

    `length` is for character: an expression, "*" (assumed) or ":" (deferred).
    """

    base: Base
    kind: int
    length: Expression | str | None = None


@dataclass(frozen=True)
class Record:
    """A derived type by the id of its definition (`module.type_name`); polymorphic for `class`.

    `class(*)` has the id "*".
    """

    id: str
    polymorphic: bool = False


@dataclass(frozen=True)
class ProcedureType:
    """The type of a procedure name: dummy procedures and procedure pointers. `interface` is a procedure's id.

    `result` is the type of a function of which only that is known (`real, external :: f`).
    """

    interface: str | None = None
    result: Type | None = None


@dataclass(frozen=True)
class NoType:
    """The type of null() and of alternate returns."""


Type = Union[Intrinsic, Record, ProcedureType, NoType]

INTEGER = Intrinsic("integer", 4)
INTEGER8 = Intrinsic("integer", 8)
REAL = Intrinsic("real", 4)
DOUBLE = Intrinsic("real", 8)
LOGICAL = Intrinsic("logical", 4)
