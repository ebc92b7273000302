"""Declarations of variables, parameters, procedure pointers and attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.character_lengths import character_length
from polystencil.frontend.context import field_of, named, text_of
from polystencil.frontend.entities import IntrinsicName
from polystencil.frontend.shapes import declare_shape, initialise
from polystencil.frontend.specification import (
    SIMPLE_ATTRIBUTES,
    apply_attributes,
    declaration_attributes,
    declarator_parts,
    declared_variable,
)
from polystencil.frontend.type_specs import read_type
from polystencil.ir.types import Intrinsic, ProcedureType, Type

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.entities import Variable
    from polystencil.frontend.specification import Specification


def variable_declaration(specification: Specification, node: Node) -> None:
    ctx = specification.ctx
    type_node = field_of(node, "type")
    words, intent, dimension = declaration_attributes(specification, node)
    if type_node.type == "procedure":
        _procedure_declaration(specification, node, type_node, words, intent)
        return
    t = read_type(ctx, type_node)
    for declarator in node.children_by_field_name("declarator"):
        target, value_node, pointer = declarator, None, False
        if declarator.type in ("init_declarator", "pointer_init_declarator", "data_declarator"):
            left, value_node = declarator.child_by_field_name("left"), declarator.child_by_field_name("right")
            assert left is not None
            target, pointer = left, declarator.type == "pointer_init_declarator"
        if target.type == "coarray_declarator":
            raise ctx.unsupported(target, "a coarray", "polystencil runs one image; drop the [ ]")
        name, size, length = declarator_parts(target)
        variable = declared_variable(specification, target, name)
        own = t
        if length is not None:
            own = Intrinsic("character", 1, character_length(ctx, length))
        if variable.type is not None and variable.node is not None and name in specification.explicit:
            raise ctx.error(target, f"the type of '{name}' is declared twice")
        specification.explicit.add(name)
        variable.type, variable.node = own, target
        apply_attributes(specification, target, variable, words, intent)
        shape = size or dimension
        if shape is not None:
            declare_shape(ctx, variable, shape)
        if declarator.type == "data_declarator" and value_node is not None:
            specification.data.append((value_node, variable))
            variable.attributes.add("save")
        elif value_node is not None:
            initialise(ctx, declarator, variable, value_node, pointer)


def _procedure_declaration(
    specification: Specification, node: Node, type_node: Node, words: set[str], intent: str
) -> None:
    """`procedure(interface), pointer :: p` and dummy procedures."""
    ctx = specification.ctx
    interface: str | None = None
    result: Type | None = None
    for child in type_node.children:
        if child.type == "procedure_interface":
            interface = text_of(child)
        elif child.type in ("intrinsic_type", "derived_type"):
            result = read_type(ctx, child)
        elif child.type == "procedure_attribute":
            word = child.children[0].type
            words.add(word)
    for declarator in node.children_by_field_name("declarator"):
        target, value = declarator, None
        if declarator.type == "pointer_init_declarator":
            left, value = declarator.child_by_field_name("left"), declarator.child_by_field_name("right")
            assert left is not None
            target = left
        name, _, _ = declarator_parts(target)
        variable = declared_variable(specification, target, name)
        declare_procedure_type(ctx, variable, target, interface)
        if result is not None:
            ctx.reader.result_types[variable.id] = result
        apply_attributes(specification, target, variable, words, intent)
        if value is not None:
            initialise(ctx, declarator, variable, value, True)


def declare_procedure_type(ctx: Context, variable: Variable, node: Node, interface: str | None) -> None:
    """`procedure(interface)`: the interface may be declared further down, so it is looked up when it is needed."""
    variable.type = ProcedureType(None)
    variable.pending_type = lambda: ctx.reader.procedure_type(ctx, node, interface)


def attribute_statement(specification: Specification, node: Node) -> None:
    """`dimension a(3)`, `target :: b`, `external f`, ..."""
    ctx = specification.ctx
    first = node.children[0]
    word = first.children[0].type if first.children else text_of(first)
    if word == "intent":
        intent = "".join(c.type for c in first.children if c.type in ("in", "out", "inout"))
    else:
        intent = ""
        if word not in SIMPLE_ATTRIBUTES and word != "dimension":
            raise ctx.unsupported(node, f"the statement '{word}'")
    for declarator in node.children_by_field_name("declarator"):
        name, size, _ = declarator_parts(declarator)
        if word == "intrinsic":
            ctx.scope.names[name] = IntrinsicName(name)
            continue
        variable = declared_variable(specification, declarator, name)
        apply_attributes(
            specification, declarator, variable, set() if word in ("dimension", "intent") else {word}, intent
        )
        if size is not None:
            declare_shape(ctx, variable, size)


def parameter_statement(specification: Specification, node: Node) -> None:
    ctx = specification.ctx
    for assignment in named(node):
        name_node, value = named(assignment)
        variable = declared_variable(specification, name_node, text_of(name_node))
        variable.attributes.add("parameter")
        if variable.type is None:
            variable.type = _implicit(ctx, name_node, variable)
        initialise(ctx, assignment, variable, value, False)


def _implicit(ctx: Context, node: Node | None, variable: Variable) -> Type:
    t = ctx.scope.implicit_type(variable.name)
    if t is None:
        raise ctx.tree.error(
            node or ctx.tree.root,
            f"the type of '{variable.name}' is not declared",
            "declare it, implicit none is in force",
        )
    return t
