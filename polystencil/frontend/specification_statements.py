"""implicit, save, access, namelist, common, equivalence, data, use, import."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import named, text_of
from polystencil.frontend.derived_types import define_enumerators, define_type
from polystencil.frontend.entities import NamelistGroup
from polystencil.frontend.interfaces import read_interface
from polystencil.frontend.shapes import declare_shape
from polystencil.frontend.specification import declarator_parts, declared_variable
from polystencil.frontend.type_specs import read_type
from polystencil.frontend.uses import use_module
from polystencil.ir.types import Type

if TYPE_CHECKING:
    from polystencil.frontend.specification import Specification


def implicit_statement(specification: Specification, node: Node) -> None:
    ctx = specification.ctx
    scope = ctx.scope
    if any(c.type == "none" for c in node.children):
        scope.implicit_none = True
        return
    current: Type | None = None
    scope.implicit = dict(scope.implicit or {})
    for child in named(node):
        if child.type in ("intrinsic_type", "derived_type"):
            current = read_type(ctx, child)
        elif child.type == "implicit_range" and current is not None:
            letters = text_of(child).replace(" ", "").split("-")
            for code in range(ord(letters[0]), ord(letters[-1]) + 1):
                scope.implicit[chr(code)] = current


def save_statement(specification: Specification, node: Node) -> None:
    names = named(node)
    if not names:
        specification.ctx.scope.save_all = True
        return
    for name in names:
        if name.type == "identifier":
            declared_variable(specification, name, text_of(name)).attributes.add("save")


def access_statement(specification: Specification, node: Node) -> None:
    word = "private" if node.type == "private_statement" else "public"
    scope = specification.ctx.scope
    names = named(node)
    if not names and word == "private":
        scope.default_private = True
    for name in names:
        scope.access[text_of(name).replace(" ", "")] = word


def namelist_statement(specification: Specification, node: Node) -> None:
    scope = specification.ctx.scope
    for group in named(node):
        parts = named(group)
        name = text_of(parts[0])
        members = [text_of(p) for p in parts[1:]]
        found = scope.names.get(name)
        if isinstance(found, NamelistGroup):
            found.members.extend(members)
        else:
            scope.names[name] = NamelistGroup(name, members)


def common_statement(specification: Specification, node: Node) -> None:
    specification.commons.append(node)
    for child in named(node):
        for declarator in named(child)[1:] if child.type == "variable_group" else [child]:
            name, size, _ = declarator_parts(declarator)
            variable = declared_variable(specification, declarator, name)
            if size is not None:
                declare_shape(specification.ctx, variable, size)


def equivalence_statement(specification: Specification, node: Node) -> None:
    specification.equivalences.append(node)
    for group in named(node):
        for member in named(group):
            base = named(member)[0] if member.type == "call_expression" else member
            declared_variable(specification, base, text_of(base))


def data_statement(specification: Specification, node: Node) -> None:
    specification.data.append((node, None))


def use_statement(specification: Specification, node: Node) -> None:

    use_module(specification, node)


def import_statement(specification: Specification, node: Node) -> None:
    scope = specification.ctx.scope
    text = text_of(node)
    if "none" in text.split():
        scope.imports = set()
        return
    names = {text_of(c) for c in named(node)}
    if names:
        scope.imports = names if scope.imports is None or not scope.imports else scope.imports | names
    else:
        scope.imports = None


def type_definition(specification: Specification, node: Node) -> None:

    specification.types.append(define_type(specification, node))


def interface_block(specification: Specification, node: Node) -> None:

    read_interface(specification, node)


def enum_definition(specification: Specification, node: Node) -> None:

    define_enumerators(specification, node)


def refuse(what: str) -> Callable[[Specification, Node], None]:
    def refuse(specification: Specification, node: Node) -> None:
        raise specification.ctx.unsupported(node, what)

    return refuse
