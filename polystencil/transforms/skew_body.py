"""Which time loops can be replayed: host bodies that assign scalars, test them and launch parallel loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from polystencil.analysis.definitions import INQUIRY, Invariance, defined_in
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import value_of
from polystencil.ir.program import Procedure
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, walk_expression, walk_statements
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of
from polystencil.transforms.inlinable import why_not_inlinable


class NotSkewed(Exception):
    """A time loop keeps its order; the message says why."""


@dataclass(frozen=True, eq=False)
class TimeLoop:
    """A perfect nest of do loops (outermost first) with the body of the innermost one, the loops it launches, and the scalars
    that it assigns and does not declare."""

    nest: tuple[s.Do, ...]
    body: s.Body
    launches: tuple[s.ParallelLoop, ...]
    assigned: tuple[x.Ref, ...]


def as_time_loop(st: s.Do, procedure: Procedure, table: SymbolTable, serial: bool) -> TimeLoop:
    """The time loop that starts at a do statement; NotSkewed where it cannot be replayed."""
    if serial:
        raise NotSkewed(f"a parallel loop calls {procedure.name}: there its loops run serially inside a kernel")
    nest = [st]
    body = st.body
    while len(body) == 1 and isinstance(body[0], s.Do):
        nest.append(body[0])
        body = body[0].body
    keeps = Invariance(table, defined_in((st,), table), procedure.id)
    for loop in nest:
        if value_of(loop.step) != 1:
            raise NotSkewed("the step of the time loop is not one")
        if loop is not st and not (keeps(loop.lower) and keeps(loop.upper)):
            raise NotSkewed("the loops are no rectangular nest: a bound of the inner loop depends on the outer one")
        for e in (loop.lower, loop.upper):
            _host_expression(e)
    assigned: dict[str, x.Ref] = {}
    fixed = _set_once(body, keeps)
    _check_body(body, table, lambda e: keeps(e) or (isinstance(e, x.Ref) and e.id in fixed), assigned)
    launches = tuple(i for i in walk_statements(body) if isinstance(i, s.ParallelLoop))
    if not launches:
        raise NotSkewed("the loop launches no parallel loop")
    if len([i for i in launches if "keep" not in i.directives]) == 0:
        raise NotSkewed("the loop launches no parallel loop")
    for launch in launches:
        _check_launch(launch, table, keeps)
    inside = {v.id for i in walk_statements(body) if isinstance(i, s.Block) for v in i.declarations}
    return TimeLoop(tuple(nest), body, launches, tuple(r for r in assigned.values() if r.id not in inside))


def _check_body(
    body: s.Body, table: SymbolTable, keeps: Callable[[x.Expression], bool], assigned: dict[str, x.Ref]
) -> None:
    for st in body:
        match st:
            case s.Assign():
                if not isinstance(st.target, x.Ref) or st.target.rank or not isinstance(st.target.type, Intrinsic):
                    raise NotSkewed("the host assigns an array, an element or an object of derived type in the loop")
                _host_expression(st.value)
                _may_assign(st.target, table)
                assigned[st.target.id] = st.target
            case s.If():
                for b in st.branches:
                    _host_expression(b.condition)
                    _check_body(b.body, table, keeps, assigned)
                _check_body(st.otherwise, table, keeps, assigned)
            case s.SelectCase():
                _host_expression(st.selector)
                for c in st.cases:
                    _check_body(c.body, table, keeps, assigned)
                _check_body(st.default, table, keeps, assigned)
            case s.Block():
                if any(v.shape is not None or not isinstance(v.type, Intrinsic) for v in st.declarations) or st.name:
                    raise NotSkewed("a block inside the loop declares an array")
                if any("save" in v.attributes for v in st.declarations):
                    raise NotSkewed("a block inside the loop declares a saved variable")
                _check_body(st.body, table, keeps, assigned)
            case s.Do():
                if not (keeps(st.lower) and keeps(st.upper) and value_of(st.step) == 1):
                    raise NotSkewed("the loops are no rectangular nest: a bound of an inner loop changes")
                if any(isinstance(i, (s.Exit, s.Cycle)) for i in walk_statements(st.body)):
                    raise NotSkewed("an inner loop is left by exit or cycle")
                for e in (st.lower, st.upper):
                    _host_expression(e)
                _may_assign(st.index, table)
                assigned[st.index.id] = st.index
                _check_body(st.body, table, keeps, assigned)
            case s.ParallelLoop() | s.Continue():
                pass
            case s.Write() | s.Read() | s.FileStatement():
                raise NotSkewed("the loop holds input/output (a print, write or read statement) on the host")
            case s.Call() | s.CallIntrinsic():
                raise NotSkewed("the loop calls a procedure on the host")
            case s.DoWhile() | s.Exit() | s.Cycle() | s.Return() | s.Stop():
                raise NotSkewed("the loop may be left early (exit), or holds a while loop without a trip count")
            case _:
                raise NotSkewed(f"the loop holds a statement that cannot be replayed ({type(st).__name__.lower()})")


def _set_once(body: s.Body, keeps: Invariance) -> frozenset[str]:
    """Scalars that the body assigns in one place, from what does not change: their value is always the same."""
    found: dict[str, list[x.Expression]] = {}
    for st in walk_statements(body):
        if isinstance(st, s.Assign) and isinstance(st.target, x.Ref):
            found.setdefault(st.target.id, []).append(st.value)
        elif isinstance(st, s.Do):
            found.setdefault(st.index.id, []).append(st.index)
    return frozenset(id for id, values in found.items() if len(values) == 1 and keeps(values[0]))


def _may_assign(ref: x.Ref, table: SymbolTable) -> None:
    symbol = table.symbols.get(ref.id)
    if symbol is None:
        return
    if "optional" in symbol.attributes:
        raise NotSkewed(f"the loop assigns the optional argument {symbol.name}")
    if {"pointer", "target", "volatile", "allocatable"} & symbol.attributes or symbol.block is not None:
        raise NotSkewed(f"the loop assigns {symbol.name}, whose storage may have another name (pointer, target, common)")


def _host_expression(e: x.Expression) -> None:
    """Host expressions read no array but for bounds and sizes, and call nothing."""
    if isinstance(e, x.IntrinsicCall) and e.name in INQUIRY:
        for a in e.arguments[1:]:
            if a is not None:
                _host_expression(a)
        return
    if isinstance(e, x.FunctionCall):
        raise NotSkewed("a host expression of the loop calls a function")
    if isinstance(e, x.Element) and not _is_constant_array(e.base):
        raise NotSkewed("a host expression of the loop reads an array element")
    if rank_of(e) and not isinstance(e, (x.Ref, x.Component)):
        raise NotSkewed("a host expression of the loop reads an array")
    if isinstance(e, (x.Ref, x.Component)) and rank_of(e):
        raise NotSkewed("a host expression of the loop reads an array")
    for child in child_expressions(e):
        if isinstance(e, x.Element) and child is e.base:
            continue
        _host_expression(child)


_CONSTANT_ARRAYS: set[str] = set()


def _is_constant_array(e: x.Expression) -> bool:
    return isinstance(e, x.Ref) and e.id in _CONSTANT_ARRAYS


def note_constant_arrays(table: SymbolTable) -> None:
    """Array-valued named constants, which a host expression may read: their elements never change."""
    _CONSTANT_ARRAYS.clear()
    _CONSTANT_ARRAYS.update(v.id for v in table.symbols.values() if "parameter" in v.attributes and v.shape is not None)


def _check_launch(launch: s.ParallelLoop, table: SymbolTable, keeps: Invariance) -> None:
    if launch.mask is not None or launch.reductions:
        raise NotSkewed("a launched loop has a mask or a reduction")
    if value_of(launch.indices[0].step) != 1:
        raise NotSkewed("the outermost step of a launched loop is not one")
    for i in launch.indices:
        for e in (i.lower, i.upper, i.step):
            if any(isinstance(n, x.Element) for n in walk_expression(e)):
                raise NotSkewed("a bound of a launched loop reads an array element")
            if any(isinstance(n, x.FunctionCall) for n in walk_expression(e)):
                raise NotSkewed("a bound of a launched loop calls a function")
            if not keeps(e):
                raise NotSkewed("a bound of a launched loop changes while the time loop runs (bounds must stay the same)")
    own = {v.id for v in launch.locals} | {
        v.id for st in walk_statements(launch.body) if isinstance(st, s.Block) for v in st.declarations
    }
    for st in walk_statements(launch.body):
        if isinstance(st, (s.Do, s.DoWhile, s.ParallelLoop)):
            raise NotSkewed("the body of a launched loop holds a loop of its own (an inner do)")
        if isinstance(st, s.Block) and any(v.shape is not None for v in st.declarations):
            raise NotSkewed("a block inside a launched loop declares a local array; only scalars may be")
        if isinstance(st, s.Assign) and isinstance(st.target, x.Ref) and st.target.id not in own:
            raise NotSkewed("a launched loop assigns a scalar of the host, not a private variable")
        if not isinstance(st, (s.Assign, s.If, s.SelectCase, s.Block, s.Continue, s.Exit, s.Cycle)):
            raise NotSkewed(f"a launched loop holds a {type(st).__name__.lower()} statement (call)")
        for top in child_expressions(st):
            for node in walk_expression(top):
                if isinstance(node, x.FunctionCall):
                    target = table.procedures.get(getattr(node.target, "id", ""))
                    why = "it is not known" if target is None else why_not_inlinable(target, table)
                    if why or node.rank:
                        raise NotSkewed(f"a function that a launched loop calls cannot be inlined: {why}")
    for e in _arrays(launch):
        _check_array(e, table)


def _arrays(launch: s.ParallelLoop) -> list[x.Ref]:
    out = []
    for st in walk_statements((launch,)):
        for top in child_expressions(st):
            out += [n for n in walk_expression(top) if isinstance(n, x.Ref)]
    return out


def _check_array(e: x.Ref, table: SymbolTable) -> None:
    symbol = table.symbols.get(e.id)
    if symbol is None:
        return
    is_array = symbol.shape is not None or not isinstance(type_of(e), Intrinsic)
    if is_array and ({"pointer", "target", "volatile"} & symbol.attributes or symbol.block is not None):
        raise NotSkewed(f"{symbol.name} may be reached through another name of its storage (pointer, target, common)")
    if is_array and "optional" in symbol.attributes:
        raise NotSkewed(f"{symbol.name} is an optional argument, which may be another name for nothing")
