"""Constants of the source: numbers, logicals, text, complex, binary-octal-hexadecimal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tree_sitter import Node

from polystencil.frontend.constant_values import constant
from polystencil.frontend.context import named, text_of
from polystencil.frontend.conversion import convert, fits_integer, single
from polystencil.frontend.implied_do import lower_implied_do
from polystencil.frontend.kinds import kind_value
from polystencil.frontend.lowering import lower, register
from polystencil.frontend.type_specs import read_type
from polystencil.ir import expressions as x
from polystencil.ir.types import DOUBLE, INTEGER, LOGICAL, REAL, Intrinsic
from polystencil.ir.typing import type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context


_CONTINUED = re.compile(r"&[ \t]*(?:![^\n]*)?\n(?:[ \t]*(?:![^\n]*)?\n)*[ \t]*&?")


_CONTINUED_TEXT = re.compile(r"&[ \t]*\n(?:[ \t]*(?:![^\n]*)?\n)*[ \t]*&?")


_BOZ = re.compile(r"([bozx])(['\"])([0-9a-f]+)\2|(['\"])([0-9a-f]+)\4([bozx])")


def raw_text(node: Node) -> str:
    """The text of a node as written."""
    text = node.text
    return "" if text is None else text.decode("utf-8", "replace")


def lower_number(ctx: Context, node: Node) -> x.Expression:
    """An integer, real or BOZ constant."""
    text = raw_text(node).lower()
    if "&" in text:
        text = _CONTINUED.sub("", text)
    kind: int | None = None
    kind_node = node.child_by_field_name("kind")
    if kind_node is not None:
        text = text[: text.rindex("_")] if "_" in text else text
    boz = _BOZ.fullmatch(text)
    if boz is not None:
        letter, digits = boz.group(1) or boz.group(6), boz.group(3) or boz.group(5)
        try:
            return x.Boz(int(digits, {"b": 2, "o": 8, "z": 16, "x": 16}[letter]), text)
        except ValueError:
            raise ctx.error(node, f"'{text}' has a digit that its base does not have") from None
    if text.isdigit():
        if kind_node is not None:
            kind = _literal_kind(ctx, kind_node, "integer")
        value = int(text)
        if not fits_integer(value, kind or 4) and value != 1 << (8 * (kind or 4) - 1):
            hint = "give it a kind: 3000000000_int64" if kind is None else ""
            raise ctx.error(node, f"integer constant {text} does not fit its kind ({kind or 4})", hint)
        return x.Literal(value, INTEGER if kind in (None, 4) else Intrinsic("integer", kind))
    real = REAL
    mantissa = text
    if "d" in text:
        mantissa, real = text.replace("d", "e"), DOUBLE
    if kind_node is not None:
        kind = _literal_kind(ctx, kind_node, "real")
        real = REAL if kind == 4 else Intrinsic("real", kind)
    try:
        number = float(mantissa)
    except ValueError:
        raise ctx.error(node, f"'{text}' is not a number") from None
    return x.Literal(single(number) if real.kind == 4 else number, real)


def _literal_kind(ctx: Context, node: Node, base: str) -> int:

    text = text_of(node)
    if text.isdigit():
        kinds = {"integer": (1, 2, 4, 8), "real": (4, 8), "logical": (1, 2, 4, 8), "character": (1,)}[base]
        if int(text) not in kinds:
            raise ctx.unsupported(node, f"{base} of kind {text}", f"the kinds of {base} are {kinds}")
        return int(text)
    return kind_value(ctx, node, base)


def lower_boolean(ctx: Context, node: Node) -> x.Expression:
    """.true. or .false."""
    kind_node = node.child_by_field_name("kind")
    value = text_of(node).startswith(".t")
    if kind_node is None:
        return x.Literal(value, LOGICAL)
    return x.Literal(value, Intrinsic("logical", _literal_kind(ctx, kind_node, "logical")))


def text_literal(value: bytes) -> x.Literal:
    """A character constant."""
    return x.Literal(value, Intrinsic("character", 1, x.Literal(len(value), INTEGER)))


def lower_string(ctx: Context, node: Node) -> x.Expression:
    """A character constant."""
    text = raw_text(node)
    if text[0] not in "'\"":
        kind_node = node.child_by_field_name("kind")
        if kind_node is not None:
            _literal_kind(ctx, kind_node, "character")
        text = text[min(k for k in (text.find("'"), text.find('"')) if k >= 0) :]
    if "\n" in text:
        text = _CONTINUED_TEXT.sub("", text)
    quote = text[0]
    return text_literal(text[1:-1].replace(quote * 2, quote).encode("utf-8"))


def lower_complex(ctx: Context, node: Node) -> x.Expression:
    """`(re, im)` of constants."""

    parts: list[Any] = []
    for child in named(node):
        e = lower(ctx, child)
        value = constant(ctx, e)
        t = type_of(e)
        if value is None or not isinstance(t, Intrinsic) or t.base not in ("integer", "real"):
            raise ctx.error(child, "the parts of a complex constant must be numbers", "use cmplx(...) for expressions")
        parts.append((value.value, t))
    kind = max(t.kind if t.base == "real" else 4 for _, t in parts)
    if all(t.base == "integer" for _, t in parts):
        kind = 4
    target = Intrinsic("real", kind)
    numbers = [single(float(v)) if kind == 4 else float(v) for v, _ in parts]
    return x.Literal(complex(*numbers), Intrinsic("complex", target.kind))


def lower_null(_ctx: Context, _node: Node) -> x.Expression:
    """null()"""
    return x.Null()


def lower_array_literal(ctx: Context, node: Node) -> x.Expression:
    """`[items]` with or without a type."""

    declared = None
    items: list[x.Expression] = []
    nodes: list[Node] = []
    for child in named(node):
        if child.type in ("intrinsic_type", "derived_type") and not items and declared is None:
            declared = read_type(ctx, child)
            continue
        items.append(
            lower_implied_do(ctx, child, True) if child.type == "implied_do_loop_expression" else lower(ctx, child)
        )
        nodes.append(child)
    if declared is None:
        if not items:
            raise ctx.error(node, "an empty array constructor needs a type", "write [integer ::]")
        declared = type_of(items[0])
        for item, child in zip(items[1:], nodes[1:], strict=True):
            declared = _joint(ctx, child, declared, type_of(item))
    if isinstance(declared, Intrinsic) and declared.base != "character":
        items = [_convert_item(item, declared) for item in items]
    return x.ArrayConstructor(tuple(items), declared)


def _joint(ctx: Context, node: Node, a: Any, b: Any) -> Any:
    if isinstance(a, Intrinsic) and isinstance(b, Intrinsic) and a.base == "character" and b.base == "character":
        return a
    if isinstance(a, Intrinsic) and isinstance(b, Intrinsic) and (a.base, a.kind) == (b.base, b.kind):
        return a
    if type(a) is not type(b) or isinstance(a, Intrinsic) or a.id != b.id:
        raise ctx.error(node, "the items of an array constructor differ in type or kind", "write [real :: 1, 2.5]")
    return a


def _convert_item(item: x.Expression, to: Intrinsic) -> x.Expression:
    if isinstance(item, x.ImpliedDo):
        inner = tuple(_convert_item(i, to) for i in item.items)
        return x.ImpliedDo(inner, item.variable, item.lower, item.upper, item.step)
    return convert(item, type_of(item), to)


register("number_literal", lower_number)


register("boolean_literal", lower_boolean)


register("string_literal", lower_string)


register("complex_literal", lower_complex)


register("null_literal", lower_null)


register("array_literal", lower_array_literal)
