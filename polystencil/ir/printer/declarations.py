"""From symbols and derived types to declarations."""

from __future__ import annotations

from polystencil.ir import expressions as x
from polystencil.ir.printer.expressions import print_expression, type_text
from polystencil.ir.printer.names import Names
from polystencil.ir.program import Binding, Dimension, Symbol, TypeDefinition
from polystencil.ir.types import ProcedureType, Record

_PRINTED = (
    "allocatable", "pointer", "target", "optional", "value", "save", "volatile", "contiguous", "asynchronous",
    "parameter", "protected",
)  # fmt: skip


def declaration_lines(symbols: tuple[Symbol, ...], names: Names, taken: frozenset[str] = frozenset()) -> list[str]:
    """Declare the symbols in this scope, in an order in which each reads only earlier ones."""
    for symbol in symbols:
        if not names.is_given(symbol.id):
            names.declare(symbol.id, symbol.name, taken)
    return [line for symbol in in_order_of_use(symbols) for line in _declaration(symbol, names)]


def in_order_of_use(symbols: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """The symbols so that bounds, lengths and initialisers only read what stands before them."""
    here = {v.id: v for v in symbols}
    done: dict[str, Symbol] = {}

    def place(symbol: Symbol) -> None:
        if symbol.id in done:
            return
        for id in _reads(symbol):
            if id in here and id != symbol.id and id not in done:
                place(here[id])
        done.setdefault(symbol.id, symbol)

    for symbol in symbols:
        place(symbol)
    return tuple(done.values())


def _reads(symbol: Symbol) -> list[str]:
    from polystencil.ir.traversal import walk_expression

    parts: list[object] = [symbol.initial, getattr(symbol.type, "length", None)]
    for d in symbol.shape or ():
        parts += [d.lower, d.upper]
    return [
        e.id
        for part in parts
        if isinstance(part, x.Expression)
        for e in walk_expression(part)
        if isinstance(e, (x.Ref, x.NamedConstant))
    ]


def shape_text(shape: tuple[Dimension, ...], names: Names) -> str:
    """`(lower:upper, ...)` of a declaration."""
    out = []
    for d in shape:
        lower = "" if d.lower is None else print_expression(d.lower, names)
        if d.upper is None:
            out.append(f"{lower}:")
        elif isinstance(d.upper, str):
            out.append(f"{lower}:*" if lower not in ("", "1") else "*")
        else:
            upper = print_expression(d.upper, names)
            out.append(upper if lower in ("", "1") else f"{lower}:{upper}")
    return f"({', '.join(out)})"


def _declaration(symbol: Symbol, names: Names) -> list[str]:
    if "intrinsic" in symbol.attributes:
        return []
    if isinstance(symbol.type, ProcedureType):
        text = _procedure_text(symbol, symbol.type, names)
    else:
        words = [w for w in _PRINTED if w in symbol.attributes]
        if symbol.intent:
            words.append(f"intent({symbol.intent})")
        if "external" in symbol.attributes:
            words.append("external")
        text = ", ".join([type_text(symbol.type, names), *words])
    shape = "" if symbol.shape is None else shape_text(symbol.shape, names)
    start = ""
    if symbol.initial is not None:
        arrow = "=>" if "pointer" in symbol.attributes else "="
        start = f" {arrow} {_initial(symbol, names)}"
    return [f"{text} :: {names.of(symbol.id)}{shape}{start}"]


def _procedure_text(symbol: Symbol, t: ProcedureType, names: Names) -> str:
    words = [w for w in _PRINTED if w in symbol.attributes]
    if symbol.attributes & {"pass", "nopass"}:
        words.append("nopass")  # calls through a component name their object among the arguments
    if t.interface is not None:
        return ", ".join([f"procedure({names.of(t.interface)})", *words])
    result = "" if t.result is None else type_text(t.result, names)
    if "pointer" in symbol.attributes:
        return ", ".join([f"procedure({result})", *words])
    return ", ".join([result, "external", *words]) if result else f"procedure(), {', '.join(words)}".rstrip(", ")


def _initial(symbol: Symbol, names: Names) -> str:
    value = symbol.initial
    if value is None:
        raise TypeError("no initialiser")
    text = print_expression(value, names)
    if symbol.shape is not None and len(symbol.shape) > 1 and isinstance(value, x.ArrayConstructor):
        extents = []
        for d in symbol.shape:
            if not isinstance(d.upper, x.Expression):
                return text
            upper = print_expression(d.upper, names, 8)
            lower = "1" if d.lower is None else print_expression(d.lower, names, 8)
            extents.append(upper if lower == "1" else f"{upper} - {lower} + 1")
        return f"reshape({text}, [{', '.join(extents)}])"
    return text


def type_lines(definition: TypeDefinition, names: Names) -> list[str]:
    """A derived type definition."""
    extends = "" if definition.extends is None else f", extends({names.of(definition.extends)})"
    out = [f"type{extends}{', abstract' if definition.abstract else ''} :: {names.of(definition.id)}"]
    inherited: set[str] = set()
    if definition.extends is not None:
        inherited = {c.name for c in names.table.types[definition.extends].components}
    for c in definition.components:
        if c.name not in inherited:
            scope = names.inner()
            scope.alias(c.id, c.name)
            out += ["  " + line for line in _declaration(c, scope)]
    known = () if definition.extends is None else names.table.types[definition.extends].bindings
    own = [b for b in definition.bindings if b not in known]
    if own:
        out.append("contains")
        for b in own:
            out.append("  " + _binding(b, names))
    return [*out, f"end type {names.of(definition.id)}"]


def _binding(b: Binding, names: Names) -> str:
    signature = b.procedure or b.interface or ""
    where = "nopass"
    if b.pass_index is not None:
        dummies = names.table.procedures[signature].dummies
        where = f"pass({dummies[b.pass_index].rsplit('.', 1)[-1]})"
    if b.procedure is None:
        return f"procedure({names.of(signature)}), {where}, deferred :: {b.name}"
    return f"procedure, {where} :: {b.name} => {names.of(signature)}"


def is_record(symbol: Symbol) -> bool:
    """Whether a symbol has a derived type."""
    return isinstance(symbol.type, Record)
