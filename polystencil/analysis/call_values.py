"""Integer dummies that every call in the program gives the same constant: nice values for a counterexample.

They are never assumed in a proof, since a procedure may also be called from outside of the program.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import value_of
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, walk_expression, walk_statements

_CACHE: WeakKeyDictionary[SymbolTable, dict[str, int]] = WeakKeyDictionary()


def usual_values(table: SymbolTable) -> dict[str, int]:
    """From the id of a dummy to the one constant that all calls pass."""
    if table in _CACHE:
        return _CACHE[table]
    seen: dict[str, set[int | None]] = {}

    def note(target: x.Expression, arguments: tuple[x.Expression | None, ...]) -> None:
        procedure = table.procedures.get(getattr(target, "id", ""))
        if procedure is None:
            return
        for dummy, actual in zip(procedure.dummies, arguments, strict=False):
            seen.setdefault(dummy, set()).add(None if actual is None else value_of(actual))

    for procedure in table.procedures.values():
        for st in walk_statements(procedure.body):
            if isinstance(st, s.Call):
                note(st.target, st.arguments)
            for top in child_expressions(st):
                for e in walk_expression(top):
                    if isinstance(e, x.FunctionCall):
                        note(e.target, e.arguments)
    out = {}
    for dummy, values in seen.items():
        if len(values) == 1 and (value := next(iter(values))) is not None:
            out[dummy] = value
    _CACHE[table] = out
    return out
