"""Specification parts: declarations become entities of the scope."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend import storage
from polystencil.frontend.context import Context, named, text_of
from polystencil.frontend.entities import Generic, IntrinsicName, NamelistGroup, StatementFunction, Variable
from polystencil.frontend.procedures import ProcedureUnit
from polystencil.frontend.scopes import Scope
from polystencil.frontend.shapes import declare_shape, initialise
from polystencil.frontend.type_entities import TypeEntity
from polystencil.frontend.type_specs import character_length, read_type
from polystencil.ir.program import DataValue, StorageBlock
from polystencil.ir.types import Intrinsic, ProcedureType, Record, Type

if TYPE_CHECKING:
    from polystencil.frontend.reader import ModuleUnit

_SIMPLE = frozenset({"allocatable", "pointer", "target", "optional", "value", "save", "volatile", "contiguous", "protected",
                     "asynchronous", "external", "intrinsic", "parameter", "private", "public", "static", "automatic"})  # fmt: skip


@dataclass(eq=False)
class Specification:
    """What a specification part holds besides entities; storage is laid out when all of it is read."""

    ctx: Context
    commons: list[Node] = field(default_factory=list)
    equivalences: list[Node] = field(default_factory=list)
    data: list[tuple[Node, Variable | None]] = field(default_factory=list)
    types: list[TypeEntity] = field(default_factory=list)
    blocks: tuple[StorageBlock, ...] = ()
    data_values: tuple[DataValue, ...] = ()
    uses: list[str] = field(default_factory=list)
    explicit: set[str] = field(default_factory=set)
    interfaces: list[ProcedureUnit] = field(default_factory=list)


def read_specification(unit: ProcedureUnit) -> None:
    """The specification part of a procedure or main program."""
    from polystencil.frontend.reader import declare_contained

    declare_contained(unit)
    specification = Specification(unit.ctx)
    unit.specification = specification
    executable = read_declarations(specification, unit.node.children)
    unit.finish_result()
    finish(specification, executable)


def read_declarations(specification: Specification, nodes: Iterable[Node]) -> bool:
    """Every declaration among `nodes`; stops at the first executable statement. Returns whether it met one."""
    ctx = specification.ctx
    label = ""
    for node in nodes:
        kind = node.type
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(specification, node)
        elif kind == "statement_label":
            label = text_of(node)
        elif kind == "format_statement":
            ctx.formats[label] = node
        elif kind == "assignment_statement":
            if not _statement_function(specification, node):
                return True
        elif kind in _PASSED or not node.is_named:
            continue
        else:
            return True
    return False


_PASSED = frozenset({"comment", "program_statement", "module_statement", "submodule_statement", "function_statement",
                     "subroutine_statement", "module_procedure_statement", "internal_procedures", "end_module_statement",
                     "end_submodule_statement", "end_program_statement", "end_function_statement", "block_data_statement",
                     "end_subroutine_statement", "end_module_procedure_statement", "end_block_data_statement",
                     "end_block_construct_statement", "block_label_start_expression"})  # fmt: skip


# --- variables --------------------------------------------------------------------------------------------------


def _declared(specification: Specification, node: Node, name: str) -> Variable:
    """The variable that a specification statement is about; made when it is new."""
    ctx = specification.ctx
    found = ctx.scope.names.get(name)
    if isinstance(found, Variable) and name not in ctx.scope.used:
        return found
    if found is not None and name in ctx.scope.used:
        raise ctx.error(node, f"'{name}' comes from a module and is declared again", "rename it in the use statement")
    if isinstance(found, Generic) and not found.specifics:
        pass
    elif found is not None and not isinstance(found, (Generic, IntrinsicName)):
        raise ctx.error(node, f"'{name}' is declared twice")
    variable = Variable(f"{ctx.scope.id}.{name}", name, span=ctx.span(node))
    if isinstance(found, Generic):
        return variable
    return ctx.scope.declare(variable)


def _parts(node: Node) -> tuple[str, Node | None, Node | None]:
    """Name, size and character length of a declarator."""
    if node.type == "identifier":
        return text_of(node), None, None
    size = length = None
    name = ""
    for child in node.children:
        if child.type == "identifier":
            name = text_of(child)
        elif child.type == "size":
            size = child
        elif child.type == "character_length":
            length = child
    return name, size, length


def _attributes(specification: Specification, node: Node) -> tuple[set[str], str, Node | None]:
    """Attribute words, intent and dimension of a declaration."""
    words: set[str] = set()
    intent = ""
    dimension: Node | None = None
    ctx = specification.ctx
    for child in node.children:
        if child.type == "type_qualifier":
            word = child.children[0].type
            if word == "dimension":
                dimension = next((c for c in child.children if c.type == "argument_list"), None)
            elif word == "intent":
                intent = "".join(c.type for c in child.children if c.type in ("in", "out", "inout"))
            elif word in _SIMPLE:
                words.add({"static": "save"}.get(word, word))
            elif word == "abstract":
                continue
            else:
                raise ctx.unsupported(child, f"the attribute '{text_of(child)}'")
        elif child.type == "language_binding":
            continue
    return words, intent, dimension


def _variable_declaration(specification: Specification, node: Node) -> None:
    ctx = specification.ctx
    type_node = node.child_by_field_name("type")
    assert type_node is not None
    words, intent, dimension = _attributes(specification, node)
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
        name, size, length = _parts(target)
        variable = _declared(specification, target, name)
        own = t
        if length is not None:
            own = Intrinsic("character", 1, character_length(ctx, length))
        if variable.type is not None and variable.node is not None and name in specification.explicit:
            raise ctx.error(target, f"the type of '{name}' is declared twice")
        specification.explicit.add(name)
        variable.type, variable.node = own, target
        _apply(specification, target, variable, words, intent)
        shape = size or dimension
        if shape is not None:
            declare_shape(ctx, variable, shape)
        if declarator.type == "data_declarator" and value_node is not None:
            specification.data.append((value_node, variable))
            variable.attributes.add("save")
        elif value_node is not None:
            initialise(ctx, declarator, variable, value_node, pointer)


def _apply(specification: Specification, node: Node, variable: Variable, words: set[str], intent: str) -> None:
    ctx = specification.ctx
    if intent:
        if "dummy" not in variable.attributes:
            raise ctx.error(node, f"'{variable.name}' has an intent and is no dummy argument")
        variable.intent = intent
    if "optional" in words and "dummy" not in variable.attributes:
        raise ctx.error(node, f"'{variable.name}' is optional and is no dummy argument")
    for word in words:
        if word in ("private", "public"):
            ctx.scope.access[variable.name] = word
            if word == "private":
                variable.attributes.add(word)
        elif word == "intrinsic":
            ctx.scope.names[variable.name] = IntrinsicName(variable.name)
            ctx.scope.order.remove(variable)
        else:
            variable.attributes.add(word)


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
        name, _, _ = _parts(target)
        variable = _declared(specification, target, name)
        variable.type = ctx.reader.procedure_type(ctx, target, interface)
        if result is not None:
            ctx.reader.result_types[variable.id] = result
        _apply(specification, target, variable, words, intent)
        if value is not None:
            initialise(ctx, declarator, variable, value, True)


def _modification(specification: Specification, node: Node) -> None:
    """`dimension a(3)`, `target :: b`, `external f`, ..."""
    ctx = specification.ctx
    first = node.children[0]
    word = first.children[0].type if first.children else text_of(first)
    if word == "intent":
        intent = "".join(c.type for c in first.children if c.type in ("in", "out", "inout"))
    else:
        intent = ""
        if word not in _SIMPLE and word != "dimension":
            raise ctx.unsupported(node, f"the statement '{word}'")
    for declarator in node.children_by_field_name("declarator"):
        name, size, _ = _parts(declarator)
        if word == "intrinsic":
            ctx.scope.names[name] = IntrinsicName(name)
            continue
        variable = _declared(specification, declarator, name)
        _apply(specification, declarator, variable, set() if word in ("dimension", "intent") else {word}, intent)
        if size is not None:
            declare_shape(ctx, variable, size)


def _parameter(specification: Specification, node: Node) -> None:
    ctx = specification.ctx
    for assignment in named(node):
        name_node, value = named(assignment)
        variable = _declared(specification, name_node, text_of(name_node))
        variable.attributes.add("parameter")
        if variable.type is None:
            variable.type = _implicit(ctx, name_node, variable)
        initialise(ctx, assignment, variable, value, False)


def _implicit(ctx: Context, node: Node | None, variable: Variable) -> Type:
    t = ctx.scope.implicit_type(variable.name)
    if t is None:
        raise ctx.tree.error(node or ctx.tree.root, f"the type of '{variable.name}' is not declared",
                             "declare it, implicit none is in force")
    return t


# --- other statements -------------------------------------------------------------------------------------------


def _implicit_statement(specification: Specification, node: Node) -> None:
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


def _save(specification: Specification, node: Node) -> None:
    names = named(node)
    if not names:
        specification.ctx.scope.save_all = True
        return
    for name in names:
        if name.type == "identifier":
            _declared(specification, name, text_of(name)).attributes.add("save")


def _access(specification: Specification, node: Node) -> None:
    word = "private" if node.type == "private_statement" else "public"
    scope = specification.ctx.scope
    names = named(node)
    if not names and word == "private":
        scope.default_private = True
    for name in names:
        scope.access[text_of(name).replace(" ", "")] = word


def _namelist(specification: Specification, node: Node) -> None:
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


def _common(specification: Specification, node: Node) -> None:
    specification.commons.append(node)
    for child in named(node):
        for declarator in named(child)[1:] if child.type == "variable_group" else [child]:
            name, size, _ = _parts(declarator)
            variable = _declared(specification, declarator, name)
            if size is not None:
                declare_shape(specification.ctx, variable, size)


def _equivalence(specification: Specification, node: Node) -> None:
    specification.equivalences.append(node)
    for group in named(node):
        for member in named(group):
            base = named(member)[0] if member.type == "call_expression" else member
            _declared(specification, base, text_of(base))


def _data(specification: Specification, node: Node) -> None:
    specification.data.append((node, None))


def _use(specification: Specification, node: Node) -> None:
    from polystencil.frontend.uses import use_module

    use_module(specification, node)


def _import(specification: Specification, node: Node) -> None:
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


def _type_definition(specification: Specification, node: Node) -> None:
    from polystencil.frontend.derived_types import define_type

    specification.types.append(define_type(specification, node))


def _interface(specification: Specification, node: Node) -> None:
    from polystencil.frontend.interfaces import read_interface

    read_interface(specification, node)


def _enum(specification: Specification, node: Node) -> None:
    from polystencil.frontend.derived_types import define_enumerators

    define_enumerators(specification, node)


def _refuse(what: str) -> Callable[[Specification, Node], None]:
    def refuse(specification: Specification, node: Node) -> None:
        raise specification.ctx.unsupported(node, what)

    return refuse


def _statement_function(specification: Specification, node: Node) -> bool:
    """`f(x, y) = expression` in a specification part, when `f` is no array."""
    ctx = specification.ctx
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "call_expression":
        return False
    parts = named(left)
    if len(parts) != 2 or parts[0].type != "identifier" or any(a.type != "identifier" for a in named(parts[1])):
        return False
    name = text_of(parts[0])
    found = ctx.scope.lookup(name)
    if found is not None and not isinstance(found, Variable):
        return False
    if isinstance(found, Variable) and (found.rank or ctx.scope.names.get(name) is not found or "result" in found.attributes
                                        or "pointer" in found.attributes):
        return False
    if found is None and ctx.scope.implicit_type(name) is None:
        return False
    t = found.type if isinstance(found, Variable) and found.type is not None else ctx.scope.implicit_type(name)
    if isinstance(found, Variable):
        ctx.scope.order.remove(found)
    assert t is not None
    dummies = tuple(text_of(a) for a in named(parts[1]))
    ctx.scope.names[name] = StatementFunction(name, dummies, right, ctx.scope, t)
    ctx.skipped.add(node.id)
    return True


# --- end of the specification part --------------------------------------------------------------------------------


def finish(specification: Specification, executable: bool = False) -> None:
    """Types that nothing declared, shapes, storage and data."""
    ctx = specification.ctx
    scope = ctx.scope
    for variable in list(scope.order):
        if scope.save_all and not variable.attributes & {"dummy", "result", "parameter"}:
            variable.attributes.add("save")
        if "external" in variable.attributes and not isinstance(variable.type, ProcedureType):
            _external(specification, variable)
            continue
        if variable.type is None:
            t = scope.implicit_type(variable.name)
            if t is None:
                place = f"dummy argument '{variable.name}'" if "dummy" in variable.attributes else f"'{variable.name}'"
                line = ctx.tree.text.source_line(variable.span)
                from polystencil.errors import SourceError

                raise SourceError(f"the type of {place} is not declared", variable.span, line,
                                  "declare it, implicit none is in force")
            variable.type = t
    for variable in list(scope.order):
        _ = variable.shape
        _check(specification, variable)
    for entity in list(specification.types):
        for component in entity.own.values():
            _ = component.shape
    storage.lay_out(specification)


def _check(specification: Specification, variable: Variable) -> None:
    ctx = specification.ctx
    if isinstance(variable.type, Record) and variable.type.polymorphic and not variable.attributes & {
        "dummy", "allocatable", "pointer"
    }:
        raise _at(ctx, variable, f"'{variable.name}' is class and must be a dummy, allocatable or pointer")
    if "parameter" in variable.attributes and variable.initial is None:
        raise _at(ctx, variable, f"parameter '{variable.name}' has no value")
    shape = variable.shape
    if shape and "allocatable" in variable.attributes and any(d.upper is not None for d in shape):
        raise _at(ctx, variable, f"allocatable '{variable.name}' must be declared with (:)")
    if shape and not variable.attributes & {"dummy", "allocatable", "pointer", "parameter"} and any(
        d.upper in (None, "*") for d in shape
    ):
        raise _at(ctx, variable, f"the bounds of '{variable.name}' are missing", "make it allocatable, or give its bounds")


def _at(ctx: Context, variable: Variable, message: str, hint: str = "") -> Exception:
    from polystencil.errors import SourceError

    return SourceError(message, variable.span, ctx.tree.text.source_line(variable.span), hint)


def _external(specification: Specification, variable: Variable) -> None:
    """`external f`: a dummy procedure, or a procedure of another file."""
    ctx = specification.ctx
    if variable.type is not None:
        ctx.reader.result_types[variable.id] = variable.type
    elif (t := ctx.scope.implicit_type(variable.name)) is not None:
        ctx.reader.result_types[variable.id] = t
    if "dummy" in variable.attributes or "pointer" in variable.attributes:
        variable.type = ProcedureType(None)
        return
    unit = ctx.reader.externals.get(variable.name)
    ctx.scope.order.remove(variable)
    if unit is not None:
        ctx.scope.names[variable.name] = unit
    else:
        del ctx.scope.names[variable.name]
        ctx.reader.missing_externals.add(variable.name)


_HANDLERS: dict[str, Callable[[Specification, Node], None]] = {
    "variable_declaration": _variable_declaration,
    "variable_modification": _modification,
    "parameter_statement": _parameter,
    "implicit_statement": _implicit_statement,
    "save_statement": _save,
    "private_statement": _access,
    "public_statement": _access,
    "namelist_statement": _namelist,
    "common_statement": _common,
    "equivalence_statement": _equivalence,
    "data_statement": _data,
    "use_statement": _use,
    "import_statement": _import,
    "derived_type_definition": _type_definition,
    "interface": _interface,
    "enum": _enum,
    "enumeration_type": _refuse("an enumeration type"),
    "bind_statement": lambda specification, node: None,
    "cray_pointer_declaration": _refuse("a Cray pointer"),
    "entry_statement": _refuse("an entry statement"),
    "include_statement": _refuse("this include line"),
}

SPECIFICATION_NODES = frozenset(_HANDLERS)
__all__ = ["ModuleUnit", "Scope", "StatementFunction", "read_declarations", "read_specification"]
