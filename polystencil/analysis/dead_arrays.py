"""Arrays that nothing reads outside of given statements: their values need not be kept."""

from __future__ import annotations

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, nested_bodies, walk_body_expressions, walk_expression


def used_only_in(id: str, statements: tuple[s.Statement, ...], procedure: Procedure, table: SymbolTable) -> bool:
    """Whether a local array is named nowhere in its procedure but in `statements` and where it is allocated."""
    symbol = table.symbols.get(id)
    if symbol is None or table.owner.get(id) != procedure.id or symbol.shape is None:
        return False
    if {"dummy", "save", "pointer", "target", "result", "volatile"} & symbol.attributes or symbol.block is not None:
        return False
    if symbol.initial is not None or id in procedure.dummies or id == procedure.result:
        return False
    if any(_names(c, id) for c in procedure.contained):
        return False
    return not _named_in(procedure.body, id, statements)


def _names(procedure: Procedure, id: str) -> bool:
    here = any(isinstance(e, x.Ref) and e.id == id for e in walk_body_expressions(procedure.body))
    return here or any(_names(c, id) for c in procedure.contained)


def _named_in(body: s.Body, id: str, apart: tuple[s.Statement, ...]) -> bool:
    for st in body:
        if any(st is a for a in apart):
            continue
        if isinstance(st, s.Allocate) and st.source is None and st.mold is None:
            parts = [b for a in st.allocations for pair in a.bounds for b in pair if b is not None]
        elif isinstance(st, s.Deallocate):
            parts = []
        else:
            parts = list(child_expressions(st))
        if any(isinstance(e, x.Ref) and e.id == id for part in parts for e in walk_expression(part)):
            return True
        if any(_named_in(inner, id, apart) for inner in nested_bodies(st)):
            return True
    return False
