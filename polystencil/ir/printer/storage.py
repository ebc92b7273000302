"""From storage blocks to common and equivalence statements, from data values to data statements."""

from __future__ import annotations

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.printer.expressions import print_expression
from polystencil.ir.printer.names import Names
from polystencil.ir.program import DataValue, StorageBlock, Symbol
from polystencil.ir.traversal import walk_statements
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of


def storage_lines(blocks: tuple[StorageBlock, ...], data: tuple[DataValue, ...], names: Names) -> list[str]:
    """common, equivalence and data statements of one scope."""
    out: list[str] = []
    for block in blocks:
        out += _block_lines(block, names)
    for d in data:
        values = ", ".join(_data_value(i, names) for i in _data_items(d.value))
        if isinstance(d.target, x.Ref) and d.target.rank and rank_of(d.value) == 0:
            symbol = names.table.symbols[d.target.id]
            values = f"{_size(symbol) // _element_size(symbol)}*{values}"
        out.append(f"data {_data_target(d.target, names)} /{values}/")
    return out


def _data_items(value: x.Expression) -> tuple[x.Expression, ...]:
    """The constants of an initial value in array element order."""
    if isinstance(value, x.IntrinsicCall) and value.name == "reshape" and value.arguments[0] is not None:
        return _data_items(value.arguments[0])
    return value.items if isinstance(value, x.ArrayConstructor) else (value,)


def _data_target(target: x.Expression, names: Names) -> str:
    if not isinstance(target, x.Section):
        return print_expression(target, names)
    # a section in a data statement is an implied do
    text = print_expression(target.base, names)
    inner, loops = [], []
    for k, subscript in enumerate(target.subscripts):
        if isinstance(subscript, x.Range):
            variable = f"i_data_{k + 1}"
            inner.append(variable)
            lower = "1" if subscript.lower is None else print_expression(subscript.lower, names)
            upper = f"ubound({text}, {k + 1})" if subscript.upper is None else print_expression(subscript.upper, names)
            step = "" if subscript.step is None else ", " + print_expression(subscript.step, names)
            loops.append(f"integer :: {variable} = {lower}, {upper}{step}")
        else:
            inner.append(print_expression(subscript, names))
    text = f"{text}({', '.join(inner)})"
    for loop in loops:
        text = f"({text}, {loop})"
    return text


def _data_value(value: x.Expression, names: Names) -> str:
    return print_expression(value, names)


def _block_lines(block: StorageBlock, names: Names) -> list[str]:
    members = [(names.table.symbols[id], offset) for id, offset in block.members]
    out: list[str] = []
    listed: list[tuple[Symbol, int]] = []
    if block.common:
        end = 0
        for symbol, offset in sorted(members, key=lambda m: m[1]):
            if offset >= end:
                listed.append((symbol, offset))
                end = offset + _size(symbol)
        name = block.id.strip("/")
        out.append(f"common /{name}/ {', '.join(names.of(v.id) for v, _ in listed)}")
    else:
        listed = [min(members, key=lambda m: (m[1], -_size(m[0])))]
    for symbol, offset in members:
        if all(symbol is not v for v, _ in listed):
            base, start = next((v, o) for v, o in listed if o <= offset < o + max(1, _size(v)))
            out.append(f"equivalence ({_at(base, offset - start, names)}, {_at(symbol, 0, names)})")
    return out


def _constant(e: x.Expression | str | None, default: int) -> int:
    if isinstance(e, (x.Literal, x.NamedConstant)) and isinstance(e.value, int):
        return e.value
    if e is None:
        return default
    raise TypeError("storage has constant bounds")


def _extents(symbol: Symbol) -> list[tuple[int, int]]:
    return [
        (lower := _constant(d.lower, 1), _constant(d.upper, 0) - lower + 1)
        for d in symbol.shape or ()
    ]


def _element_size(symbol: Symbol) -> int:
    t = symbol.type
    if not isinstance(t, Intrinsic):
        raise TypeError("storage of intrinsic types only")
    if t.base == "character":
        return _constant(t.length, 1)
    return t.kind * (2 if t.base == "complex" else 1)


def _size(symbol: Symbol) -> int:
    size = _element_size(symbol)
    for _, extent in _extents(symbol):
        size *= extent
    return size


def _at(symbol: Symbol, offset: int, names: Names) -> str:
    """The element of a variable that starts `offset` bytes into it."""
    if symbol.shape is None:
        return names.of(symbol.id)
    index, subscripts = offset // _element_size(symbol), []
    for lower, extent in _extents(symbol):
        subscripts.append(str(lower + index % extent))
        index //= extent
    return f"{names.of(symbol.id)}({', '.join(subscripts)})"


def namelist_lines(body: s.Body, names: Names) -> list[str]:
    """A namelist statement for every group that a body transfers."""
    groups = {st.group: st.members for st in walk_statements(body) if isinstance(st, s.NamelistTransfer)}
    return [f"namelist /{g}/ {', '.join(names.of(ref.id) for _, ref in members)}" for g, members in groups.items()]
