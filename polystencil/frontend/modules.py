"""Modules and submodules while they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.contained import declare_contained
from polystencil.frontend.context import Context
from polystencil.frontend.declarations import read_declarations
from polystencil.frontend.finishing import finish
from polystencil.frontend.scopes import Scope
from polystencil.frontend.specification import Specification

if TYPE_CHECKING:
    from polystencil.frontend.entities import Entity
    from polystencil.frontend.parse import SyntaxTree
    from polystencil.frontend.procedures import ProcedureUnit
    from polystencil.frontend.reader import Reader


class ModuleUnit:
    """A module or submodule while it is read."""

    def __init__(self, reader: Reader, tree: SyntaxTree, node: Node, name: str, parent: str = "") -> None:
        self.reader, self.tree, self.node, self.name, self.parent = reader, tree, node, name, parent
        self.id = name if not parent else f"{parent.split(':')[0]}.{name}"
        self.scope = Scope(self.id, "module", None, registry=reader.variables)
        self.ctx = Context(reader, tree, self.scope, node)
        self.contained: list[ProcedureUnit] = []
        self.submodules: list[ModuleUnit] = []
        self.specification: Specification | None = None
        self._state = 0

    def declare(self, place: Node | None = None) -> None:
        """Read the specification part, once."""
        if self._state == 2:
            return
        if self._state == 1:
            raise self.tree.error(
                place or self.node.children[0], f"module '{self.name}' uses itself, by way of other modules"
            )
        self._state = 1
        if self.parent:
            host = self.reader.submodule_host(self)
            host.declare()
            self.scope.host = host.scope
        declare_contained(self)
        self.specification = Specification(self.ctx)
        read_declarations(self.specification, self.node.children)
        self._state = 2
        finish(self.specification)

    def public_names(self) -> dict[str, Entity]:
        """What a use statement brings."""
        return {name: e for name, e in self.scope.names.items() if not self.scope.is_private(name)}
