"""Procedures contained in a unit, entered into its scope before anything else is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import field_of, text_of
from polystencil.frontend.procedures import ProcedureUnit

if TYPE_CHECKING:
    from polystencil.frontend.modules import ModuleUnit
    from polystencil.frontend.parse import SyntaxTree
    from polystencil.frontend.reader import Reader
    from polystencil.frontend.scopes import Scope


def procedure_unit(reader: Reader, tree: SyntaxTree, node: Node, host: Scope | None) -> ProcedureUnit:
    statement = node.children[0]
    name_node = field_of(statement, "name")
    name = text_of(name_node)
    id = name if host is None else f"{host.id}.{name}"
    kind = "subroutine" if node.type == "module_procedure" else node.type
    separate = node.type == "module_procedure" or any(
        c.type == "procedure_qualifier" and text_of(c) == "module" for c in statement.children
    )
    if separate and host is not None:
        for scope in host.chain():
            if f"{scope.id}.{name}" in reader.separate_interfaces:
                id = f"{scope.id}.{name}"
    unit = ProcedureUnit(reader, tree, node, kind, name, id, host)
    if node.type == "module_procedure":

        def interface() -> ProcedureUnit:
            found = reader.separate_interfaces.get(id)
            if found is None:
                raise tree.error(
                    statement,
                    f"there is no interface of module procedure '{name}'",
                    "declare it in an interface block of the module",
                )
            return found

        unit.separate = interface
    return unit


def declare_contained(unit: ProcedureUnit | ModuleUnit) -> None:
    """Enter the contained procedures of a unit into its scope."""
    for child in unit.node.children:
        if child.type != "internal_procedures":
            continue
        for node in child.children:
            if node.type in ("function", "subroutine", "module_procedure"):
                inner = procedure_unit(unit.reader, unit.tree, node, unit.scope)
                if inner.name in unit.scope.names and isinstance(unit.scope.names[inner.name], ProcedureUnit):
                    raise unit.tree.error(node.children[0], f"procedure '{inner.name}' is defined twice")
                unit.contained.append(inner)
                unit.scope.names[inner.name] = inner
            elif node.type == "include_statement":
                raise unit.tree.unsupported(node, "this include line")
