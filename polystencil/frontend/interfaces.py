"""Interface blocks: bodies of external and separate procedures, generics, operators, assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import field_of, text_of
from polystencil.frontend.entities import Generic, Variable
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.type_entities import TypeEntity
from polystencil.ir.types import ProcedureType

if TYPE_CHECKING:
    from polystencil.frontend.scopes import Scope
    from polystencil.frontend.specification import Specification


def read_interface(specification: Specification, node: Node) -> None:
    """One interface block."""
    ctx = specification.ctx
    scope = ctx.scope
    statement = node.children[0]
    name = ""
    abstract = False
    for child in statement.children:
        if child.type == "name":
            name = text_of(child)
        elif child.type in ("operator", "assignment"):
            name = text_of(child).replace(" ", "")
        elif child.type == "defined_io_procedure":
            raise ctx.unsupported(child, "defined input/output")
        elif child.type == "abstract_specifier":
            abstract = True
    generic = _generic(scope, name) if name else None
    if generic is not None and generic.node is None:
        generic.node = statement
    for child in node.children:
        if child.type in ("function", "subroutine"):
            unit = _body(specification, child, abstract)
            if generic is not None:
                generic.specifics.append(unit)
                generic.scopes.append(scope)
        elif child.type == "procedure_statement":
            if generic is None:
                raise ctx.error(child, "a procedure statement needs a generic name on its interface")
            for declarator in child.children_by_field_name("declarator"):
                generic.specifics.append(text_of(declarator))
                generic.scopes.append(scope)


def _generic(scope: Scope, name: str) -> Generic:
    """The generic of that name in this scope; one from a host or module is extended in a copy."""
    found = scope.names.get(name)
    if isinstance(found, Generic) and name not in scope.used:
        return found

    generic = Generic(name)
    outer = scope.lookup(name)
    if isinstance(outer, Generic):
        generic.specifics, generic.scopes, generic.type = list(outer.specifics), list(outer.scopes), outer.type
    elif isinstance(outer, TypeEntity):
        generic.type = outer
    elif isinstance(outer, ProcedureUnit):
        generic.specifics, generic.scopes = [outer], [scope]
    scope.names[name] = generic
    return generic


def _body(specification: Specification, node: Node, abstract: bool) -> ProcedureUnit:
    """An interface body."""
    ctx = specification.ctx
    scope = ctx.scope
    kind = node.type
    statement = next(c for c in node.children if c.type == f"{kind}_statement")
    name_node = field_of(statement, "name")
    name = text_of(name_node)
    module_procedure = any(c.type == "procedure_qualifier" and text_of(c) == "module" for c in statement.children)
    external = ctx.reader.externals.get(name)
    present = scope.names.get(name)
    dummy = isinstance(present, Variable) and "dummy" in present.attributes
    if dummy:
        id, name = f"{scope.id}.{name}_interface", f"{name}_interface"
    elif module_procedure or abstract or external is None:
        id = f"{scope.id}.{name}"
    else:
        id = external.id
    unit = ProcedureUnit(ctx.reader, ctx.tree, node, kind, name, id, scope)
    unit.interface_only = True
    specification.interfaces.append(unit)
    if not module_procedure:
        unit.scope.imports = set()  # an interface body sees its host only through import
    if module_procedure:
        ctx.reader.separate_interfaces[id] = unit
    else:
        ctx.reader.interfaces[id] = unit
        if external is None and not abstract and not dummy:
            ctx.reader.unresolved_interfaces.add(id)
    if dummy and isinstance(present, Variable):
        present.type = ProcedureType(id)
        present.attributes.add("external")
        specification.explicit.add(present.name)
    elif isinstance(present, Generic):
        present.specifics.append(unit)
        present.scopes.append(scope)
    else:
        scope.names[name] = unit
    return unit
