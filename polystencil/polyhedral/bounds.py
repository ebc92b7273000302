"""From lbound, ubound and size to the declared bounds, where those cannot have changed since the procedure began."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

from polystencil.analysis.definitions import Definitions, Invariance, base_id, defined_in
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Dimension, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import walk_body_expressions, walk_expression, walk_statements
from polystencil.ir.types import INTEGER

ONE = x.Literal(1, INTEGER)
_CACHE: WeakKeyDictionary[SymbolTable, dict[str, Definitions]] = WeakKeyDictionary()


def defined_in_procedure(id: str, table: SymbolTable) -> Definitions:
    """What a whole procedure, with those contained in it, may define."""
    known = _CACHE.setdefault(table, {})
    if id not in known:
        procedure = table.procedures[id]
        parts = [defined_in(procedure.body, table), *(defined_in_procedure(c.id, table) for c in procedure.contained)]
        known[id] = Definitions(
            frozenset().union(*(p.ids for p in parts)),
            any(p.unknown for p in parts),
            frozenset().union(*(p.paths for p in parts)),
            frozenset().union(*(p.reshaped for p in parts)),
        )
    return known[id]


def dimensions_of(e: x.Expression, table: SymbolTable) -> list[tuple[x.Expression, x.Expression]] | None:
    """Lower and upper bounds of a whole array that hold all through its procedure; None where they are not known.

    Declared bounds whose variables the procedure never defines, or those of the one allocate statement of a local
    allocatable.
    """
    if not isinstance(e, x.Ref) or e.id not in table.symbols:
        return None
    symbol = table.symbols[e.id]
    owner = table.owner.get(e.id, "")
    if symbol.shape is None:
        return None
    if "allocatable" in symbol.attributes:
        return _allocated(symbol, owner, table)
    if "pointer" in symbol.attributes:
        return None
    if "dummy" in symbol.attributes and symbol.shape[-1].upper == ONE:
        return None  # `a(1)`: how old programs write `a(*)`
    out = [_declared(d, owner, table) for d in symbol.shape]
    return None if any(d is None for d in out) else [d for d in out if d is not None]


def lower_bound(e: x.Expression, dim: int, table: SymbolTable) -> x.Expression | None:
    """The lower bound of dimension `dim` (from 0) of a whole array, also where its upper bound is assumed."""
    if isinstance(e, x.Ref) and e.id in table.symbols:
        symbol = table.symbols[e.id]
        shape = symbol.shape or ()
        if dim < len(shape) and not {"allocatable", "pointer"} & symbol.attributes:
            lower = shape[dim].lower or ONE
            return lower if _stable(lower, table.owner.get(e.id, ""), table) else None
    known = dimensions_of(e, table)
    return known[dim][0] if known is not None and dim < len(known) else None


def _declared(d: Dimension, owner: str, table: SymbolTable) -> tuple[x.Expression, x.Expression] | None:
    lower = d.lower or ONE
    if not isinstance(d.upper, x.Expression):
        return None
    return (lower, d.upper) if _stable(lower, owner, table) and _stable(d.upper, owner, table) else None


def _allocated(symbol: Symbol, owner: str, table: SymbolTable) -> list[tuple[x.Expression, x.Expression]] | None:
    procedure = table.procedures.get(owner)
    if procedure is None or procedure.contained or {"dummy", "save", "target"} & symbol.attributes:
        return None
    found: list[s.Allocation] = []
    for st in walk_statements(procedure.body):
        match st:
            case s.Allocate():
                here = [a for a in st.allocations if base_id(a.object) == symbol.id]
                if here and (st.source is not None or st.mold is not None) and not here[0].bounds:
                    return None
                found += here
            case s.Assign() if isinstance(st.target, x.Ref) and st.target.id == symbol.id:
                return None  # may be reallocated
            case s.Call() if _may_reallocate(st.target, st.arguments, symbol.id, table):
                return None
            case s.CallIntrinsic() if st.name == "move_alloc":
                if any(a is not None and base_id(a) == symbol.id for a in st.arguments):
                    return None
            case _:
                pass
    for e in walk_body_expressions(procedure.body):
        if isinstance(e, x.FunctionCall) and _may_reallocate(e.target, e.arguments, symbol.id, table):
            return None
    if len(found) != 1:
        return None
    out = [(lo or ONE, hi) for lo, hi in found[0].bounds]
    return out if all(_stable(b, owner, table) for pair in out for b in pair) else None


def _may_reallocate(target: x.Expression, arguments: tuple[x.Expression | None, ...], id: str, table: SymbolTable) -> bool:
    """Whether a call gets the variable as an argument that the procedure may allocate again."""
    if not any(a is not None and base_id(a) == id for a in arguments):
        return False
    procedure = table.procedures.get(target.id) if isinstance(target, x.ProcedureRef) else None
    if procedure is None:
        return True
    for k, a in enumerate(arguments):
        if isinstance(a, x.Ref) and a.id == id:
            dummy = table.symbols.get(procedure.dummies[k]) if k < len(procedure.dummies) else None
            if dummy is None or "allocatable" in dummy.attributes:
                return True
    return False


def _stable(e: x.Expression, owner: str, table: SymbolTable) -> bool:
    """Whether `e` has one value from the beginning of its procedure on."""
    for node in walk_expression(e):
        if isinstance(node, x.FunctionCall):
            return False
        if isinstance(node, x.Ref):
            symbol = table.symbols.get(node.id)
            if symbol is None or {"pointer", "target", "volatile"} & symbol.attributes or symbol.block is not None:
                return False
            if "parameter" in symbol.attributes or symbol.intent == "in":
                continue
            home = table.owner.get(node.id, "")
            if home != owner or owner not in table.procedures or node.rank:
                return False
            if node.id in defined_in_procedure(owner, table).ids:
                return False
    return True


def bound_expression(e: x.IntrinsicCall, table: SymbolTable, invariance: Callable[[x.Expression], bool]) -> (
    x.Expression | None
):
    """The value of lbound, ubound or size by declared bounds; None where those are not known here."""
    array = e.arguments[0] if e.arguments else None
    if array is None:
        return None
    given = e.arguments[1] if len(e.arguments) > 1 else None
    if isinstance(given, (x.Literal, x.NamedConstant)) and isinstance(given.value, int):
        dim = given.value - 1
    elif given is None and e.name == "size" and isinstance(array, x.Ref) and array.rank == 1:
        dim = 0
    else:
        return None
    if e.name == "lbound":
        lower = lower_bound(array, dim, table)
        return lower if lower is not None and invariance(lower) else None
    known = dimensions_of(array, table)
    if known is None or not 0 <= dim < len(known):
        return None
    lower, upper = known[dim]
    if not (invariance(lower) and invariance(upper)):
        return None
    if e.name == "ubound":
        return upper
    extent = x.Binary("+", x.Binary("-", upper, lower), ONE)
    return x.IntrinsicCall("max", (extent, x.Literal(0, INTEGER)), INTEGER)


__all__ = ["Invariance", "bound_expression", "dimensions_of", "lower_bound"]
