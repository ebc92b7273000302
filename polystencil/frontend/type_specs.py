"""Type specifications: kinds, character lengths, derived types."""

from __future__ import annotations

from tree_sitter import Node

from polystencil.frontend.context import Context, named, text_of
from polystencil.frontend.entities import Generic
from polystencil.frontend.type_entities import TypeEntity
from polystencil.ir import expressions as x
from polystencil.ir.types import INTEGER, Intrinsic, Record, Type

_DEFAULT_KINDS = {"integer": 4, "real": 4, "complex": 4, "logical": 4, "character": 1, "byte": 1}
_KINDS = {"integer": (1, 2, 4, 8), "real": (4, 8), "complex": (4, 8), "logical": (1, 2, 4, 8), "character": (1,)}
ONE = x.Literal(1, INTEGER)


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
    return Intrinsic(base, _kind(ctx, kind_node, base))  # type: ignore[arg-type]


def _kind(ctx: Context, node: Node, base: str) -> int:
    star = any(c.type == "*" for c in node.children)
    values = named(node)
    if len(values) != 1:
        raise ctx.error(node, f"one kind is needed in the type {base}")
    value = values[0]
    if value.type == "keyword_argument":
        inner = value.child_by_field_name("value")
        assert inner is not None
        value = inner
    if star and base == "complex":
        return kind_value(ctx, value, base, 2)
    return kind_value(ctx, value, base)


def kind_value(ctx: Context, node: Node, base: str, divide: int = 1) -> int:
    """The kind that an expression names; only the kinds that exist are let through."""
    from polystencil.frontend.expressions import constant_integer

    kind = constant_integer(ctx, node, "a kind") // divide
    if kind not in _KINDS[base]:
        raise ctx.unsupported(node, f"{base} of kind {kind}", f"the kinds of {base} are {_KINDS[base]}")
    return kind


def read_length(ctx: Context, node: Node | None) -> x.Expression | str:
    """The length of a character type from its `kind` node."""
    if node is None:
        return ONE
    if any(c.type == "*" for c in node.children) and not any(c.type == "assumed_size" for c in node.children):
        inner = named(node)[0]
        if inner.type == "parenthesized_expression":
            inner = named(inner)[0]
        return _length(ctx, inner)
    length: x.Expression | str = ONE
    position = 0
    for argument in named(node):
        name, value = "", argument
        if argument.type == "keyword_argument":
            keyword, inner = argument.child_by_field_name("name"), argument.child_by_field_name("value")
            assert keyword is not None and inner is not None
            name, value = text_of(keyword), inner
        elif argument.type == "assumed_size" and position == 0 and len(named(node)) > 1 and text_of(node).startswith("*"):
            continue
        if name == "kind" or (not name and position == 1):
            kind_value(ctx, value, "character")
        else:
            length = _length(ctx, value)
        position += 1
    return length


def _length(ctx: Context, node: Node) -> x.Expression | str:
    from polystencil.frontend.expressions import folded, lower

    text = text_of(node).replace(" ", "")
    if text in ("*", "(*)"):
        return "*"
    if text in (":", "(:)"):
        return ":"
    return folded(ctx, lower(ctx, node))


def character_length(ctx: Context, node: Node) -> x.Expression | str:
    """The length after a declarator: `name*10`, `name*(*)`."""
    text = text_of(node).replace(" ", "").lstrip("*")
    if text == "(*)":
        return "*"
    if text.isdigit():
        return x.Literal(int(text), INTEGER)
    raise ctx.unsupported(node, "this character length")


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
        return Intrinsic(base, default if kind_node is None else _kind(ctx, kind_node, base))  # type: ignore[arg-type]
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


def maybe_type_named(ctx: Context, name: str) -> TypeEntity | None:
    """The derived type of that name, if there is one."""
    found = ctx.scope.lookup(name)
    if isinstance(found, Generic):
        return found.type
    return found if isinstance(found, TypeEntity) else None
