"""Integer dummies that every call in the program gives the same constant: nice values for a counterexample.

They are never assumed in a proof, since a procedure may also be called from outside of the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import value_of
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, walk_expression, walk_statements

_CACHE: WeakKeyDictionary[SymbolTable, dict[str, int]] = WeakKeyDictionary()


def usual_actuals(table: SymbolTable) -> dict[str, x.Ref]:
    """From the id of an array dummy to the one whole variable that all calls pass."""
    seen: dict[str, set[x.Expression | None]] = {}
    for target, arguments in _calls(table):
        procedure = table.procedures.get(getattr(target, "id", ""))
        for dummy, actual in zip(procedure.dummies if procedure else (), arguments, strict=False):
            seen.setdefault(dummy, set()).add(actual)
    out: dict[str, x.Ref] = {}
    for dummy, actuals in seen.items():
        actual = next(iter(actuals))
        if len(actuals) == 1 and isinstance(actual, x.Ref) and actual.rank:
            out[dummy] = actual
    return out


def usual_extents(array: x.Ref, table: SymbolTable) -> list[int] | None:
    """Extents of a local allocatable by the constants of its one allocate statement."""
    procedure = table.procedures.get(table.owner.get(array.id, ""))
    if procedure is None:
        return None
    found = [
        a for st in walk_statements(procedure.body) if isinstance(st, s.Allocate)
        for a in st.allocations if isinstance(a.object, x.Ref) and a.object.id == array.id
    ]  # fmt: skip
    if len(found) != 1:
        return None
    out = []
    for low, high in found[0].bounds:
        first, last = 1 if low is None else value_of(low), value_of(high)
        if first is None or last is None:
            return None
        out.append(max(0, last - first + 1))
    return out


def _calls(table: SymbolTable) -> Iterator[tuple[x.Expression, tuple[x.Expression | None, ...]]]:
    for procedure in table.procedures.values():
        for st in walk_statements(procedure.body):
            if isinstance(st, s.Call):
                yield st.target, st.arguments
            for top in child_expressions(st):
                for e in walk_expression(top):
                    if isinstance(e, x.FunctionCall):
                        yield e.target, e.arguments


def usual_values(table: SymbolTable) -> dict[str, int]:
    """From the id of a dummy to the one constant that all calls pass."""
    if table in _CACHE:
        return _CACHE[table]
    seen: dict[str, set[int | None]] = {}
    for target, arguments in _calls(table):
        procedure = table.procedures.get(getattr(target, "id", ""))
        for dummy, actual in zip(procedure.dummies if procedure else (), arguments, strict=False):
            seen.setdefault(dummy, set()).add(None if actual is None else value_of(actual))
    out = {}
    for dummy, values in seen.items():
        if len(values) == 1 and (value := next(iter(values))) is not None:
            out[dummy] = value
    _CACHE[table] = out
    return out
