"""Kinds of intrinsic types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.constant_values import constant_integer

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


_KINDS = {"integer": (1, 2, 4, 8), "real": (4, 8), "complex": (4, 8), "logical": (1, 2, 4, 8), "character": (1,)}


def kind_value(ctx: Context, node: Node, base: str, divide: int = 1) -> int:
    """The kind that an expression names; only the kinds that exist are let through."""

    kind = constant_integer(ctx, node, "a kind") // divide
    if kind not in _KINDS[base]:
        raise ctx.unsupported(node, f"{base} of kind {kind}", f"the kinds of {base} are {_KINDS[base]}")
    return kind
