"""Which parallel loops can be split: plain bodies over scalars of intrinsic type, in nests of one to three dimensions."""

from __future__ import annotations

from polystencil.analysis.definitions import is_pure
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import integer, value_of
from polystencil.ir.directives import KEEP
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import (
    child_expressions,
    procedures_of,
    walk_body_expressions,
    walk_expression,
    walk_statements,
)
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of
from polystencil.polyhedral.model import build_model
from polystencil.proofs.privacy import private_to
from polystencil.proofs.verdicts import Proven

_ALLOWED = (s.Assign, s.If, s.SelectCase, s.Do, s.DoWhile, s.Block, s.Exit, s.Cycle, s.Continue)


class NotSplit(Exception):
    """A loop is not split; the message says why."""


def check_splittable(st: s.ParallelLoop, table: SymbolTable, procedure: Procedure, serial: bool) -> None:
    """Raise NotSplit where the loop's form rules splitting out."""
    if KEEP in st.directives:
        raise NotSplit("an original loop kept for the last iteration of a fusion is left as written")
    if serial:
        raise NotSplit(f"a parallel loop calls {procedure.name}: there the loop runs serially inside a kernel")
    if len(st.indices) > 3:
        raise NotSplit("the nest has more than three dimensions")
    if any(value_of(i.step) != 1 for i in st.indices):
        raise NotSplit("the loop has a step that is not one")
    if any(isinstance(i.ref.type, Intrinsic) and i.ref.type.kind < 4 for i in st.indices):
        raise NotSplit("an index has a kind too short to count the iterations in")
    if st.reductions:
        raise NotSplit("the loop accumulates into a reduction variable")
    if st.mask is not None:
        raise NotSplit("the loop has a mask")
    for inner in walk_statements(st.body):
        _check_statement(inner, table)
    _check_scalars(st, table, procedure)


def _check_statement(st: s.Statement, table: SymbolTable) -> None:
    if not isinstance(st, _ALLOWED):
        raise NotSplit(f"the body holds a statement that is not split ({type(st).__name__.lower()})")
    if isinstance(st, s.Block) and any(v.shape is not None for v in st.declarations):
        raise NotSplit("the body declares a local array")
    if isinstance(st, s.Assign) and rank_of(st.target):
        raise NotSplit("the body assigns an array or a section")
    for e in child_expressions(st):
        for node in walk_expression(e):
            if isinstance(node, x.FunctionCall):
                target = table.procedures.get(getattr(node.target, "id", ""))
                if node.rank or target is None or not is_pure(target):
                    raise NotSplit("the body calls a function whose result is an array or that is not pure")
            kind = type_of(node)
            if isinstance(node, (x.Element, x.Ref)) and rank_of(node) == 0:
                if isinstance(kind, Intrinsic) and kind.base == "character":
                    raise NotSplit("the body uses characters")
            if isinstance(node, x.ArrayConstructor):
                raise NotSplit("the body builds an array")
    if isinstance(st, s.Assign) and not isinstance(type_of(st.target), Intrinsic):
        raise NotSplit("the body assigns a value of derived type")


def _check_scalars(st: s.ParallelLoop, table: SymbolTable, procedure: Procedure) -> None:
    """Scalars of the scope around that the body assigns must be written before read in every iteration."""
    own = {v.id for v in st.locals}
    for inner in walk_statements(st.body):
        if isinstance(inner, s.Block):
            own.update(v.id for v in inner.declarations)
    outside = {
        t.id
        for i in walk_statements(st.body)
        for t in ([i.target] if isinstance(i, s.Assign) else [i.index] if isinstance(i, s.Do) else [])
        if isinstance(t, x.Ref) and t.id not in own
    }
    if not outside:
        return
    model = build_model((st,), table, procedure.id)
    last = [l for l in model.loops if l.statement is st][-1]
    for id in outside:
        uses = [a for a in model.accesses if a.array.split("%", 1)[0] == id and len(a.loops) > last.position]
        if not isinstance(private_to(last, uses, table.symbols[id].name), Proven):
            raise NotSplit(f"iterations share the scalar {table.symbols[id].name}")


def called_from_parallel_loops(program: Program) -> frozenset[str]:
    """Procedures that a parallel loop calls, also through others."""
    direct: dict[str, set[str]] = {}
    start: set[str] = set()

    def targets(body: s.Body) -> set[str]:
        out = {e.target.id for e in walk_body_expressions(body)
               if isinstance(e, x.FunctionCall) and isinstance(e.target, x.ProcedureRef)}  # fmt: skip
        out |= {i.target.id for i in walk_statements(body)
                if isinstance(i, s.Call) and isinstance(i.target, x.ProcedureRef)}  # fmt: skip
        return out

    for procedure in procedures_of(program):
        direct[procedure.id] = targets(procedure.body)
        for st in walk_statements(procedure.body):
            if isinstance(st, s.ParallelLoop):
                start |= targets((st,))
    todo, seen = list(start), set(start)
    while todo:
        for id in direct.get(todo.pop(), ()):
            if id not in seen:
                seen.add(id)
                todo.append(id)
    return frozenset(seen)


__all__ = ["NotSplit", "called_from_parallel_loops", "check_splittable", "integer"]
