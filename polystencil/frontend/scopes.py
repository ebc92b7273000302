"""Scopes: which entity a name stands for, with host association and implicit typing."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from polystencil.ir.types import INTEGER, REAL, Type

if TYPE_CHECKING:
    from polystencil.frontend.entities import Entity, Variable


_DEFAULT_IMPLICIT: dict[str, Type] = {c: INTEGER if c in "ijklmn" else REAL for c in "abcdefghijklmnopqrstuvwxyz_$"}


@dataclass(eq=False)
class Scope:
    """A module, procedure, program, block or construct. Names are lower case."""

    id: str
    kind: str
    host: Scope | None = None
    names: dict[str, Entity] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)  # names that came by `use`
    order: list[Variable] = field(default_factory=list)  # variables declared here
    implicit: dict[str, Type] | None = None  # None: as the host
    implicit_none: bool | None = None
    default_private: bool = False
    access: dict[str, str] = field(default_factory=dict)
    save_all: bool = False
    imports: set[str] | None = None  # of an interface body: the names it sees of its host; None sees all
    counters: dict[str, int] = field(default_factory=dict)
    registry: dict[str, Variable] = field(default_factory=dict)  # all variables of the program by id

    def __post_init__(self) -> None:
        if self.host is not None:
            self.registry = self.host.registry

    def lookup(self, name: str) -> Entity | None:
        """The entity that `name` means here, or None when nothing declares it."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            if scope.imports is not None and name not in scope.imports:
                return None
            scope = scope.host
        return None

    def chain(self) -> Iterator[Scope]:
        """This scope and its hosts."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.host

    def implicit_type(self, name: str) -> Type | None:
        """The type that implicit typing gives to `name`; None under implicit none."""
        letter = name[0]
        for scope in self.chain():
            if scope.implicit is not None and letter in scope.implicit:
                return scope.implicit[letter]
            if scope.implicit_none:
                return None
            if scope.imports is not None:
                break
        return _DEFAULT_IMPLICIT.get(letter)

    def unit(self) -> Scope:
        """The program unit or procedure that this scope is part of (blocks belong to their procedure)."""
        scope = self
        while scope.kind in ("block", "construct") and scope.host is not None:
            scope = scope.host
        return scope

    def declare(self, variable: Variable) -> Variable:
        """Add a variable."""
        self.names[variable.name] = variable
        self.order.append(variable)
        self.registry[variable.id] = variable
        return variable

    def fresh(self, stem: str) -> str:
        """A name of the program unit that nothing has used yet: stem1, stem2, ..."""
        unit = self.unit()
        while True:
            unit.counters[stem] = unit.counters.get(stem, 0) + 1
            name = f"{stem}{unit.counters[stem]}"
            if name not in unit.names:
                return name

    def similar(self, name: str) -> str:
        """A hint naming a known name close to `name`, or nothing."""
        known = {n for scope in self.chain() for n in scope.names}
        close = difflib.get_close_matches(name, known, 1, 0.6)
        return f"did you mean '{close[0]}'?" if close else ""

    def is_private(self, name: str) -> bool:
        """Whether users of this module do not see `name`."""
        return self.access.get(name, "private" if self.default_private else "public") == "private"
