"""Type specifications: kinds, character lengths, derived types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.character_lengths import read_length
from polystencil.frontend.context import field_of, named, text_of
from polystencil.frontend.entities import Generic
from polystencil.frontend.kinds import kind_value
from polystencil.frontend.type_entities import TypeEntity
from polystencil.ir.types import Intrinsic, Record, Type

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


_DEFAULT_KINDS = {"integer": 4, "real": 4, "complex": 4, "logical": 4, "character": 1, "byte": 1}


def read_type(ctx: Context, node: Node) -> Type:
    """The type of an `intrinsic_type` or `derived_type` node."""
    if node.type == "derived_type":
        return _derived(ctx, node)
    if node.type != "intrinsic_type":
        raise ctx.unsupported(node, f"the type specification '{text_of(node)}'")
    words = [c.type for c in node.children if not c.is_named]
    kind_node = node.child_by_field_name("kind")
    word = "".join(words)
    if word in ("doubleprecision", "doublecomplex"):
        return Intrinsic("real" if word == "doubleprecision" else "complex", 8)
    if word == "character":
        return Intrinsic("character", 1, read_length(ctx, kind_node))
    base = "integer" if word == "byte" else word
    if kind_node is None:
        return Intrinsic(base, _DEFAULT_KINDS[word])  # type: ignore[arg-type]  # one of the bases
    return Intrinsic(base, _kind(ctx, kind_node, base))  # type: ignore[arg-type]  # one of the intrinsic type names


def _kind(ctx: Context, node: Node, base: str) -> int:
    star = any(c.type == "*" for c in node.children)
    values = named(node)
    if len(values) != 1:
        raise ctx.error(node, f"one kind is needed in the type {base}")
    value = values[0]
    if value.type == "keyword_argument":
        inner = field_of(value, "value")
        value = inner
    if star and base == "complex":
        return kind_value(ctx, value, base, 2)
    return kind_value(ctx, value, base)


def _derived(ctx: Context, node: Node) -> Type:
    polymorphic = node.children[0].type == "class"
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return Record("*", True)
    if name_node.type == "intrinsic_type":
        words = text_of(name_node)
        base = {"doubleprecision": "real", "byte": "integer"}.get(words.replace(" ", ""), words)
        kind_node = node.child_by_field_name("kind")
        if base == "character":
            return Intrinsic("character", 1, read_length(ctx, kind_node))
        default = 8 if "double" in words else _DEFAULT_KINDS[words]
        return Intrinsic(base, default if kind_node is None else _kind(ctx, kind_node, base))  # type: ignore[arg-type]  # one of the intrinsic type names
    if node.child_by_field_name("kind") is not None:
        raise ctx.unsupported(node, "a parameterised derived type")
    return Record(type_named(ctx, name_node).id, polymorphic)


def type_named(ctx: Context, node: Node) -> TypeEntity:
    """The derived type that a name means."""
    name = text_of(node)
    found = ctx.scope.lookup(name)
    if isinstance(found, Generic) and found.type is not None:
        found = found.type
    if not isinstance(found, TypeEntity):
        raise ctx.error(node, f"'{name}' is not a derived type", ctx.scope.similar(name))
    return found
