"""Lengths of character types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.constant_values import folded
from polystencil.frontend.context import field_of, named, text_of
from polystencil.frontend.kinds import kind_value
from polystencil.frontend.lowering import lower
from polystencil.ir import expressions as x
from polystencil.ir.types import INTEGER

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


ONE = x.Literal(1, INTEGER)


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
    arguments = named(node)
    if node.children[0].type == "assumed_size":
        arguments = arguments[1:]  # the star of character*(n)
    for position, argument in enumerate(arguments):
        name, value = "", argument
        if argument.type == "keyword_argument":
            keyword, inner = field_of(argument, "name"), field_of(argument, "value")
            name, value = text_of(keyword), inner
        if name == "kind" or (not name and position == 1):
            kind_value(ctx, value, "character")
        else:
            length = _length(ctx, value)
    return length


def _length(ctx: Context, node: Node) -> x.Expression | str:
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
