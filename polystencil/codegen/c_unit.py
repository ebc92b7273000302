"""State shared by everything printed into one kernel: program tables, dialect, arguments, helpers, functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from polystencil.analysis.assigned import EffectsFinder
from polystencil.codegen.arguments import Arguments
from polystencil.codegen.c_helpers import Helpers
from polystencil.codegen.c_places import ArrayPlace, ScalarPlace
from polystencil.codegen.dialect import Dialect
from polystencil.codegen.failures import Failures
from polystencil.codegen.names import Names
from polystencil.errors import NOWHERE, Span
from polystencil.ir import expressions as x
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.types import Record


@dataclass(frozen=True)
class HostRecord:
    """A dummy of derived type inside of a function: stands for `prefix` of the host with these subscripts."""

    prefix: x.Expression
    subscripts: tuple[str, ...]


@dataclass(frozen=True)
class PrivateRecord:
    """A record that lives inside of the kernel: one private variable for each leaf, by path."""

    leaves: dict[tuple[str, ...], ScalarPlace | ArrayPlace]
    type: Record


Place = Any  # ScalarPlace | ArrayPlace | HostRecord | PrivateRecord


@dataclass
class Unit:
    """One kernel in the making. `strict_math` calls the host's libm; `written` are ids that the kernel assigns."""

    table: SymbolTable
    effects: EffectsFinder
    dialect: Dialect
    strict_math: bool
    arguments: Arguments
    helpers: Helpers
    written: set[str]
    functions: dict[Any, Any] = field(default_factory=dict)
    function_texts: list[str] = field(default_factory=list)
    uses_strict_math: bool = False
    uses_rows: bool = False
    kernel_scope: Any = None
    failures: Failures = field(default_factory=Failures)
    span: Span = NOWHERE


@dataclass
class Scope:
    """Names inside of the kernel body or of one function.

    `captured` notes kernel parameters that a function needs, to be passed on by its callers (None: the kernel itself).
    `counters` are ids whose integer arithmetic cannot overflow in a valid program.
    """

    names: Names
    places: dict[str, Place] = field(default_factory=dict)
    captured: dict[str, tuple[str, str]] | None = None
    counters: set[str] = field(default_factory=set)
    absent: frozenset[str] = frozenset()
    present: frozenset[str] = frozenset()
    jumps: dict[str, tuple[str, str]] = field(default_factory=dict)
    returns: str | None = None
    indices: set[str] = field(default_factory=set)
