"""Names of storage as fusion compares them: paths of arrays, families of paths, and which of them a body touches."""

from __future__ import annotations

from polystencil.analysis.definitions import base_id, designated_path
from polystencil.analysis.storage import storage_class
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, walk_body_expressions, walk_expression, walk_statements
from polystencil.transforms.fusion_refusal import NotFused


def path_of(e: x.Expression) -> str | None:
    """The storage path of a whole variable or component; subscripts on the way are part of it."""
    if isinstance(e, x.Ref):
        return e.id
    if isinstance(e, x.Component):
        base = path_of(e.base)
        return None if base is None else f"{base}%{e.field}"
    if isinstance(e, x.Element):
        base = path_of(e.base)
        return None if base is None else f"{base}({', '.join(map(repr, e.indices))})"
    return None


def family(path: str) -> str:
    """A path without subscripts on the way: arrays of different families never overlap (storage class apart)."""
    out, depth = "", 0
    for c in path:
        depth += c == "("
        out += c if depth == 0 else ""
        depth -= c == ")"
    return out


def root_of(path: str) -> str:
    """The id of the variable that a path begins with, also where it is an element of an array of records."""
    return family(path).split("%", 1)[0]


def way_of(array: x.Expression) -> list[x.Element]:
    """The elements of arrays of records that a designator passes: `s%tr(m)` of `s%tr(m)%q`."""
    out: list[x.Element] = []
    while isinstance(array, (x.Component, x.Element)):
        if isinstance(array, x.Element):
            out.append(array)
        array = array.base
    return out


def arrays_written(loop: s.ParallelLoop) -> set[str]:
    """Paths of the arrays that a loop assigns elements of."""
    out = set()
    for st in walk_statements(loop.body):
        if isinstance(st, s.Assign) and isinstance(st.target, x.Element):
            path = path_of(st.target.base)
            if path is not None:
                out.add(path)
    return out


def arrays_named(body: s.Body) -> set[str]:
    """Paths of all arrays and variables that a body names."""
    out = set()
    for e in walk_body_expressions(body):
        if isinstance(e, (x.Ref, x.Component)):
            path = path_of(e)
            if path is not None:
                out.add(path)
    return out


def check_storage(path: str, table: SymbolTable, what: str) -> None:
    """Refuse arrays whose storage may have another name."""
    symbol = table.symbols.get(root_of(path))
    if symbol is not None and symbol.block is not None:
        raise NotFused(f"{what} stands in a common block or equivalence: its storage has another name (alias)")
    if symbol is not None and "volatile" in symbol.attributes:
        raise NotFused(f"{what} is volatile: it may change under another name of its storage")
    if storage_class(path, table) != path:
        raise NotFused(f"{what} is a pointer or target, or reached through a pointer: its storage may have another name")


def name_of(path: str) -> str:
    id, *fields = family(path).split("%")
    return "%".join([id.rsplit(".", 1)[-1], *fields])


def variables_in(e: x.Expression) -> set[str]:
    """Paths `variable%component%...` of what an expression reads."""
    if isinstance(e, (x.Component, x.Element, x.Section, x.Ref)) and (path := designated_path(e)) is not None:
        out = {path}
        while isinstance(e, (x.Component, x.Element, x.Section)):
            if not isinstance(e, x.Component):
                for i in e.indices if isinstance(e, x.Element) else e.subscripts:
                    out |= variables_in(i)
            e = e.base
        return out
    return {v for child in child_expressions(e) for v in variables_in(child)}


def shapes_in(e: x.Expression) -> set[str]:
    """Variables of which, or of a part of which, an expression asks for bounds."""
    asked = [a for n in walk_expression(e) if isinstance(n, x.IntrinsicCall) and n.name in BOUNDS for a in n.arguments[:1]]
    return {id for a in asked if a is not None and (id := base_id(a)) is not None}


def values_in(e: x.Expression) -> set[str]:
    """Paths of what an expression reads the value of: not the arrays of which it only asks for bounds."""
    if isinstance(e, x.IntrinsicCall) and e.name in BOUNDS and e.arguments[0] is not None:
        array, out = e.arguments[0], {v for a in e.arguments[1:] if a is not None for v in values_in(a)}
        while isinstance(array, (x.Component, x.Element)):
            if isinstance(array, x.Element):
                out |= {v for i in array.indices for v in values_in(i)}
            array = array.base
        return out if isinstance(array, x.Ref) else out | values_in(array)
    if isinstance(e, (x.Component, x.Element, x.Section, x.Ref)):
        return variables_in(e)
    return {v for child in child_expressions(e) for v in values_in(child)}


BOUNDS = ("size", "lbound", "ubound")


def touched(reads: set[str], defined: set[str] | frozenset[str]) -> list[str]:
    """The paths read that a definition may change: it is one of them, holds one, or is a part of one."""
    return sorted(
        r for r in reads if any(r == d or r.startswith(d + "%") or d.startswith(r + "%") for d in defined)
    )
