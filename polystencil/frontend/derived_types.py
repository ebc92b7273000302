"""Derived type definitions and enumerators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.character_lengths import character_length
from polystencil.frontend.constant_values import constant_integer
from polystencil.frontend.context import field_of, named, text_of
from polystencil.frontend.entities import Generic, Variable
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.shapes import declare_shape, initialise
from polystencil.frontend.specification import declaration_attributes, declarator_parts
from polystencil.frontend.type_entities import BoundEntity, TypeEntity
from polystencil.frontend.type_specs import read_type, type_named
from polystencil.frontend.variable_declarations import declare_procedure_type
from polystencil.ir import expressions as x
from polystencil.ir.types import INTEGER, Intrinsic, ProcedureType, Type

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.specification import Specification


def define_type(specification: Specification, node: Node) -> TypeEntity:
    """`type ... end type`"""
    ctx = specification.ctx
    statement = node.children[0]
    name_node = next(c for c in statement.children if c.type == "type_name")
    name = text_of(name_node)
    entity = TypeEntity(f"{ctx.scope.id}.{name}", name, span=ctx.span(statement), node=node)
    for child in statement.children:
        if child.type == "base_type_specifier":
            entity.parent = type_named(ctx, named(child)[0])
            entity.parent.children.append(entity)
        elif child.type == "abstract_specifier":
            entity.abstract = True
        elif child.type == "access_specifier":
            ctx.scope.access[name] = text_of(child)
        elif child.type == "derived_type_parameter_list":
            raise ctx.unsupported(child, "a parameterised derived type", "use an allocatable component")
    found = ctx.scope.names.get(name)
    if isinstance(found, Generic):
        found.type = entity
    elif found is not None and name not in ctx.scope.used:
        raise ctx.error(name_node, f"'{name}' is declared twice")
    else:
        ctx.scope.names[name] = entity
    ctx.reader.types[entity.id] = entity
    private = False
    for child in node.children[1:]:
        if child.type == "variable_declaration":
            _components(specification, entity, child, private)
        elif child.type == "private_statement":
            private = True
        elif child.type == "derived_type_procedures":
            _bindings(ctx, entity, child)
        elif child.type == "include_statement":
            raise ctx.unsupported(child, "this include line")
    return entity


def _components(specification: Specification, entity: TypeEntity, node: Node, private: bool) -> None:

    ctx = specification.ctx
    type_node = field_of(node, "type")
    words, _, dimension = declaration_attributes(specification, node)
    interface: str | None = None
    if type_node.type == "procedure":
        interface = next((text_of(c) for c in type_node.children if c.type == "procedure_interface"), None)
        words |= {c.children[0].type for c in type_node.children if c.type == "procedure_attribute"}
        if "nopass" not in words:
            words.add("pass")
        t: Type = ProcedureType(None)
    else:
        t = read_type(ctx, type_node)
    if "private" in words or (private and "public" not in words):
        private_names = entity.private_components
    else:
        private_names = set()
    words -= {"private", "public"}
    for declarator in node.children_by_field_name("declarator"):
        target, value, pointer = declarator, None, False
        if declarator.type in ("init_declarator", "pointer_init_declarator"):
            left, value = declarator.child_by_field_name("left"), declarator.child_by_field_name("right")
            assert left is not None
            target, pointer = left, declarator.type == "pointer_init_declarator"
        elif declarator.type in ("coarray_declarator", "data_declarator"):
            raise ctx.unsupported(declarator, "this component")
        name, size, length = declarator_parts(target)
        if entity.component(name) is not None:
            raise ctx.error(target, f"component '{name}' of {entity.name} is declared twice")
        variable = Variable(f"{entity.id}.{name}", name, t, set(words), span=ctx.span(target))
        if length is not None:
            variable.type = Intrinsic("character", 1, character_length(ctx, length))
        if type_node.type == "procedure":
            declare_procedure_type(ctx, variable, target, interface)
        entity.own[name] = variable
        private_names.add(name)
        shape = size or dimension
        if shape is not None:
            declare_shape(ctx, variable, shape)
        if value is not None:
            initialise(ctx, declarator, variable, value, pointer, component=True)


def _bindings(ctx: Context, entity: TypeEntity, node: Node) -> None:
    for child in node.children:
        if child.type == "final_procedure_statement" or text_of(child).lower().lstrip().startswith("final"):
            raise ctx.unsupported(child, "a final procedure", "clean up with a procedure that you call")
        if child.type == "generic_statement":
            _generic(ctx, entity, child)
            continue
        if child.type != "procedure_statement":
            if child.type == "include_statement":
                raise ctx.unsupported(child, "this include line")
            continue
        kind = text_of(child.children[0])
        attributes: dict[str, str] = {}
        interface = ""
        for part in child.children:
            if part.type == "procedure_attribute":
                inner = named(part)
                attributes[part.children[0].type] = text_of(inner[0]) if inner else ""
            elif part.type == "procedure_interface":
                interface = text_of(part)
        for declarator in child.children_by_field_name("declarator"):
            if declarator.type == "binding":
                left = text_of(declarator.children[0]).replace(" ", "")
                right = text_of(declarator.children[-1])
            else:
                left = right = text_of(declarator)
            if kind != "procedure":
                raise ctx.unsupported(child, f"a '{kind}' statement here")
            if "deferred" in attributes and not interface:
                raise ctx.error(declarator, f"the deferred binding '{left}' needs an interface", "procedure(interface)")
            find = None if "deferred" in attributes else _finder(ctx, declarator, right)
            entity.bindings[left] = BoundEntity(
                left, find, _finder(ctx, declarator, interface) if interface else None, "nopass" not in attributes,
                attributes.get("pass", ""), "private" in attributes,
            )  # fmt: skip


def _generic(ctx: Context, entity: TypeEntity, node: Node) -> None:
    """`generic :: name => a, b`"""
    for declarator in node.children_by_field_name("declarator"):
        parts = named(declarator)
        if not parts or parts[0].type != "binding_name":
            raise ctx.unsupported(node, "this statement in a derived type")
        if any(c.type == "defined_io_procedure" for c in parts[0].children):
            raise ctx.unsupported(node, "defined input/output")
        name = text_of(parts[0]).replace(" ", "")
        entity.generics.setdefault(name, []).extend(text_of(p) for p in parts[1:])


def _finder(ctx: Context, node: Node, name: str):  # type: ignore[no-untyped-def]  # a closure of one line
    def find() -> ProcedureUnit:
        found = ctx.scope.lookup(name)
        if isinstance(found, Generic):
            found = next((s for s in found.specifics if isinstance(s, ProcedureUnit) and s.name == name), None)
        if not isinstance(found, ProcedureUnit):
            raise ctx.error(node, f"'{name}' is no procedure of this module", ctx.scope.similar(name))
        return found

    return find


def define_enumerators(specification: Specification, node: Node) -> None:
    """`enum, bind(c)`: the enumerators are integer parameters."""

    ctx = specification.ctx
    value = -1
    for statement in (c for c in node.children if c.type == "enumerator_statement"):
        for declarator in statement.children_by_field_name("declarator"):
            value += 1
            target = declarator
            if declarator.type == "init_declarator":
                left, right = field_of(declarator, "left"), field_of(declarator, "right")
                target, value = left, constant_integer(ctx, right, "an enumerator")
            name = text_of(target)
            variable = Variable(f"{ctx.scope.id}.{name}", name, INTEGER, {"parameter"}, span=ctx.span(target))
            variable.constant, variable.initial = value, x.Literal(value, INTEGER)
            ctx.scope.declare(variable)
