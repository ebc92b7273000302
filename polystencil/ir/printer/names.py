"""From program-wide ids to the names that a scope can print without one hiding another."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from polystencil.ir.symbols import SymbolTable


@dataclass(eq=False)
class Names:
    """What each id is called in one scope; `parent` is the scope around it.

    `taken` are names in use here that inner scopes must not hide where they refer to them. `threads`: whether OpenMP allows
    parallel loops here; it does not in pure procedures.
    """

    table: SymbolTable
    parent: Names | None = None
    given: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    openmp: bool = False
    threads: bool = True

    def of(self, id: str) -> str:
        """The printed name of an id; its last part where no scope has declared it."""
        scope: Names | None = self
        while scope is not None:
            if id in scope.given:
                return scope.given[id]
            scope = scope.parent
        return identifier(id.rsplit(".", 1)[-1])

    def is_given(self, id: str) -> bool:
        """Whether this scope or one around it has declared the id."""
        return id in self.given or (self.parent is not None and self.parent.is_given(id))

    def inner(self) -> Names:
        """A scope inside this one."""
        return Names(self.table, self, openmp=self.openmp, threads=self.threads)

    def protect(self, ids: Iterable[str]) -> None:
        """Keep the names of `ids` from scopes around this one visible here."""
        for id in ids:
            if id not in self.given and self.is_given(id):
                self.taken.add(self.of(id))

    def declare(self, id: str, wanted: str, avoid: Iterable[str] = ()) -> str:
        """Give `id` a name here: the wanted one, or with a number where that would clash."""
        base = identifier(wanted)
        name, n = base, 0
        unusable = self.taken | set(avoid)
        while name in unusable:
            n += 1
            name = f"{base}_{n}"
        self.given[id] = name
        self.taken.add(name)
        return name

    def alias(self, id: str, name: str) -> None:
        """Print `id` as `name`, which is already declared."""
        self.given[id] = name


def identifier(text: str) -> str:
    """`text` as a Fortran name."""
    name = re.sub(r"[^a-z0-9_]", "_", text.lower()).lstrip("_0123456789") or "x"
    return name[:60]
