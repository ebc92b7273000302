"""What the statements of a specification part share: the variables they are about and their attributes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import text_of
from polystencil.frontend.entities import Generic, IntrinsicName, Variable
from polystencil.ir.program import DataValue, StorageBlock

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.procedures import ProcedureUnit
    from polystencil.frontend.type_entities import TypeEntity


SIMPLE_ATTRIBUTES = frozenset({
    "allocatable", "pointer", "target", "optional", "value", "save", "volatile", "contiguous", "protected",
    "asynchronous", "external", "intrinsic", "parameter", "private", "public", "static", "automatic",
})  # fmt: skip


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


def declared_variable(specification: Specification, node: Node, name: str) -> Variable:
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


def declarator_parts(node: Node) -> tuple[str, Node | None, Node | None]:
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


def declaration_attributes(specification: Specification, node: Node) -> tuple[set[str], str, Node | None]:
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
            elif word in SIMPLE_ATTRIBUTES:
                words.add({"static": "save"}.get(word, word))
            elif word == "abstract":
                continue
            else:
                raise ctx.unsupported(child, f"the attribute '{text_of(child)}'")
        elif child.type == "language_binding":
            continue
    return words, intent, dimension


def apply_attributes(
    specification: Specification, node: Node, variable: Variable, words: set[str], intent: str
) -> None:
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
