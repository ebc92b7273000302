"""print, write, read, open, close, inquire and the other file statements; formats and namelists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from polystencil.frontend.context import field_of, named, text_of
from polystencil.frontend.entities import NamelistGroup, Variable
from polystencil.frontend.labels import jump
from polystencil.frontend.literals import _CONTINUED, raw_text, text_literal
from polystencil.frontend.lowering import describe, lower_value
from polystencil.frontend.names import find
from polystencil.frontend.statement_lists import register_statement
from polystencil.frontend.writable import is_variable, lower_variable
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.types import INTEGER, Intrinsic, Record
from polystencil.ir.typing import rank_of, type_of

if TYPE_CHECKING:
    from polystencil.frontend.context import Context
    from polystencil.frontend.labels import Item


_WRITTEN = frozenset({
    "iostat", "iomsg", "size", "newunit", "exist", "opened", "number", "named", "name", "access",
    "sequential", "direct", "form", "formatted", "unformatted", "recl", "nextrec", "blank", "position",
    "action", "read", "write", "readwrite", "delim", "pad", "pos", "stream", "encoding", "iolength", "id",
    "pending", "sign", "round", "decimal", "asynchronous",
})  # fmt: skip


_TRANSFER_OUT = frozenset({"iostat", "iomsg", "size"})


_OPEN_OUT = frozenset({"iostat", "iomsg", "newunit"})


_JUMPS = {"end": ("==", -1), "eor": ("==", -2), "err": (">", 0)}


def _format_text(ctx: Context, node: Node, label: str) -> x.Expression:
    """The text of a FORMAT statement as a literal."""
    label = label.lstrip("0")
    statement = ctx.formats.get(label)
    if statement is None:
        _collect_formats(ctx)
        statement = ctx.formats.get(label)
    if statement is None:
        raise ctx.error(node, f"there is no format statement with label {label}")

    text = _CONTINUED.sub("", raw_text(statement))
    return text_literal(text[text.index("(") :].strip().encode("utf-8"))


def _collect_formats(ctx: Context) -> None:
    stack = [ctx.root] if ctx.root is not None else []
    while stack:
        node = stack.pop()
        label = ""
        for child in node.children:
            if child.type == "statement_label":
                label = text_of(child).lstrip("0")
            elif child.type == "format_statement":
                ctx.formats[label] = child
            elif child.is_named and child.child_count and child.type != "internal_procedures":
                stack.append(child)


class _Controls:
    """The control list of an input/output statement."""

    def __init__(self, ctx: Context, node: Node, written: frozenset[str]) -> None:
        self.ctx = ctx
        self.unit: x.Expression | None = None
        self.format: x.Expression | str | None = None
        self.group: NamelistGroup | None = None
        self.has_unit = False
        self.others: list[tuple[str, x.Expression]] = []
        self.jumps: list[tuple[str, Node, str]] = []
        for child in node.children:
            if child.type == "unit_identifier":
                self._unit(child.children[-1] if child.children else child)
            elif child.type == "format_identifier":
                self._format(child)
            elif child.type == "keyword_argument":
                name, value = field_of(child, "name"), field_of(child, "value")
                self._keyword(child, text_of(name), value, written)

    def _unit(self, node: Node) -> None:
        self.has_unit = True
        if node.type in ("*", "assumed_size"):
            return
        self.unit = lower_value(self.ctx, node)
        t = type_of(self.unit)
        if not isinstance(t, Intrinsic) or t.base not in ("integer", "character"):
            raise self.ctx.error(node, f"a unit is an integer or a character variable, this is {describe(self.unit)}")

    def _format(self, node: Node) -> None:
        ctx = self.ctx
        inner = node.children[-1] if node.type == "format_identifier" else node
        if inner.type in ("*", "assumed_size"):
            self.format = "*"
            return
        text = text_of(inner)
        if text.isdigit():
            self.format = _format_text(ctx, inner, text)
            return
        if inner.type == "identifier":
            group = ctx.scope.lookup(text)
            if isinstance(group, NamelistGroup):
                self.group = group
                return
        e = lower_value(ctx, inner)
        t = type_of(e)
        if not isinstance(t, Intrinsic) or t.base != "character":
            raise ctx.error(inner, f"a format is a label or text, this is {describe(e)}")
        self.format = e

    def _keyword(self, node: Node, name: str, value: Node, written: frozenset[str]) -> None:
        ctx = self.ctx
        if name == "unit":
            self._unit(value)
        elif name == "fmt":
            self._format(value)
        elif name == "nml":
            group = ctx.scope.lookup(text_of(value))
            if not isinstance(group, NamelistGroup):
                raise ctx.error(value, f"'{text_of(value)}' is no namelist group")
            self.group = group
        elif name in _JUMPS:
            self.jumps.append((name, node, text_of(value)))
        else:
            e = lower_variable(ctx, value) if name in written else lower_value(ctx, value)
            if any(name == known for known, _ in self.others):
                raise ctx.error(node, f"the specifier {name} is given twice")
            self.others.append((name, e))

    def status(self, node: Node) -> x.Expression | None:
        """The iostat variable that end=, err= and eor= need; made when the source has none."""
        if not self.jumps:
            return None
        for name, e in self.others:
            if name == "iostat":
                return e
        unit = self.ctx.scope.unit()
        name = self.ctx.scope.fresh("iostat_")
        variable = unit.declare(Variable(f"{unit.id}.{name}", name, INTEGER, span=self.ctx.span(node)))
        ref = x.Ref(variable.id, INTEGER)
        self.others.append(("iostat", ref))
        return ref

    def jump(self, status: x.Expression | None, node: Node) -> None:
        """The branches of end=, err= and eor=."""
        if status is None:
            return
        span = self.ctx.span(node)
        for name, place, label in self.jumps:
            operator, value = _JUMPS[name]
            test = x.Binary(operator, status, x.Literal(value, type_of(status)))
            self.ctx.out.append(s.If((s.Branch(test, (jump(self.ctx, place, label),), span),), span=span))


def _items(ctx: Context, node: Node, kind: str) -> tuple[x.Expression, ...]:
    for child in node.children:
        if child.type == kind:
            return tuple(_item(ctx, c, kind) for c in named(child))
    return ()


def _item(ctx: Context, node: Node, kind: str) -> x.Expression:
    e = lower_value(ctx, node)
    if kind == "input_item_list":
        _check_input(ctx, node, e)
    t = type_of(e)
    if isinstance(t, Record):
        entity = ctx.reader.types.get(t.id)
        if entity is None or t.polymorphic:
            raise ctx.error(node, "a class object cannot be transferred", "transfer its components")
        for component in entity.components():
            if component.attributes & {"allocatable", "pointer"}:
                raise ctx.error(
                    node, f"component '{component.name}' is allocatable or a pointer", "transfer components one by one"
                )
    return e


def _check_input(ctx: Context, node: Node, e: x.Expression) -> None:
    if isinstance(e, x.ImpliedDo):
        for inner in e.items:
            _check_input(ctx, node, inner)
    elif not is_variable(e):
        raise ctx.error(node, "read needs variables")
    elif node.type != "implied_do_loop_expression":
        lower_variable(ctx, node, "read into")


def _members(ctx: Context, node: Node, group: NamelistGroup) -> tuple[tuple[str, x.Ref], ...]:
    out = []
    for name in group.members:
        found = find(ctx, node, name)
        if not isinstance(found, Variable):
            raise ctx.error(node, f"'{name}' in namelist {group.name} is no variable")
        out.append((name, x.Ref(found.id, found.full_type, found.rank)))
    return tuple(out)


def _print(ctx: Context, item: Item) -> None:
    controls = _Controls(ctx, item.node, frozenset())
    if controls.group is not None:
        members = _members(ctx, item.node, controls.group)
        ctx.out.append(s.NamelistTransfer("write", None, controls.group.name, members, span=ctx.span(item.node)))
        return
    items = _items(ctx, item.node, "output_item_list")
    ctx.out.append(s.Write(None, controls.format, items, (), True, span=ctx.span(item.node)))


def _transfer(ctx: Context, item: Item) -> None:
    node = item.node
    reading = node.type == "read_statement"
    controls = _Controls(ctx, node, _TRANSFER_OUT)
    status = controls.status(node)
    span = ctx.span(node)
    others = tuple(controls.others)
    if not reading and controls.unit is not None:
        t = type_of(controls.unit)
        if isinstance(t, Intrinsic) and t.base == "character" and not is_variable(controls.unit):
            raise ctx.error(node, "an internal file to write is a character variable")
    if controls.group is not None:
        members = _members(ctx, node, controls.group)
        keyword = "read" if reading else "write"
        ctx.out.append(s.NamelistTransfer(keyword, controls.unit, controls.group.name, members, others, span=span))
    elif reading:
        items = _items(ctx, node, "input_item_list")
        ctx.out.append(s.Read(controls.unit, controls.format, items, others, span=span))
    else:
        items = _items(ctx, node, "output_item_list")
        ctx.out.append(s.Write(controls.unit, controls.format, items, others, span=span))
    controls.jump(status, node)


def _file(ctx: Context, item: Item) -> None:
    node = item.node
    keyword = node.children[0].type
    if keyword in ("wait", "pause"):
        raise ctx.unsupported(node, f"the statement '{keyword}'")
    written = _WRITTEN if keyword == "inquire" else _OPEN_OUT
    controls = _Controls(ctx, node, written)
    status = controls.status(node)
    list_: list[tuple[str, x.Expression]] = []
    if controls.unit is not None:
        unit = controls.unit.operand if isinstance(controls.unit, x.Paren) else controls.unit
        list_.append(("unit", unit))
    list_.extend(controls.others)
    if keyword == "inquire" and any(name == "iolength" for name, _ in list_):
        raise ctx.unsupported(node, "inquire(iolength=)")
    if controls.format is not None:
        raise ctx.error(node, f"{keyword} has no format")
    if keyword == "open" and isinstance(controls.unit, x.Expression) and rank_of(controls.unit):
        raise ctx.error(node, "a unit is a scalar")
    ctx.out.append(s.FileStatement(keyword, tuple(list_), span=ctx.span(node)))
    controls.jump(status, node)


register_statement("print_statement", _print)


register_statement("write_statement", _transfer)


register_statement("read_statement", _transfer)


for _kind in ("open_statement", "close_statement", "inquire_statement", "file_position_statement"):
    register_statement(_kind, _file)
