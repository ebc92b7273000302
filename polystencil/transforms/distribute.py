"""distribute: an imperfect do loop becomes several, so that a part of it can be parallel.

    do i = 2, n                        do i = 2, n
      s(i) = s(i - 1) + a(i)    -->      s(i) = s(i - 1) + a(i)
      b(i) = sqrt(s(i))                end do
    end do                             do i = 2, n          (parallel)
                                         b(i) = sqrt(s(i))
                                       end do

Asks `proofs.distribution` for every place between two statements (Allen and Kennedy's loop distribution, kept to the
order of the text), `proofs.independence` for every part. Parts next to each other stay one loop where both run in order
or both together are parallel. A loop that is parallel as a whole, or that holds nothing but loops (a time loop), is
left alone; so is one of which no part that writes an array would become parallel.

>>> import polystencil as ps
>>> before = '''
... subroutine sums(s, a, b, n)
...   integer, intent(in) :: n
...   real, intent(inout) :: s(n), a(n), b(n)
...   integer :: i
...   do i = 2, n
...     s(i) = s(i - 1) + a(i)
...     b(i) = sqrt(s(i))
...   end do
... end subroutine'''
>>> print("\\n".join(ps.show(before, after="parallelize", transforms="none").splitlines()[7:13]))
  do i = 2, n
    s(i) = s(i - 1) + a(i)
  end do
  do concurrent (i = 2:n)
    b(i) = sqrt(s(i))
  end do
"""

from __future__ import annotations

import dataclasses

from polystencil.analysis.definitions import Invariance, defined_in
from polystencil.analysis.effects import called_targets, named_in_calls
from polystencil.analysis.liveness import live_after
from polystencil.analysis.storage import has_one_name
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import map_procedures, map_statement, walk_statements
from polystencil.ir.types import Intrinsic
from polystencil.polyhedral.accesses import LoopModel
from polystencil.polyhedral.model import build_model
from polystencil.proofs.distribution import distributable, statement_of
from polystencil.proofs.independence import independent
from polystencil.proofs.privacy import private_to
from polystencil.proofs.verdicts import Proven
from polystencil.remarks import Remark
from polystencil.transforms.loop_scalars import loop_scalars
from polystencil.transforms.results import PassResult

_IN_PARTS = (s.Assign, s.If, s.SelectCase, s.Do, s.Block, s.Call, s.Continue, s.Where, s.Forall)
MOST_STATEMENTS = 24  # longer bodies are left alone: every place is a proof


def distribute(program: Program) -> PassResult:
    """The program with loops cut where that makes a part parallel, and a remark for each."""
    table = symbol_table(program)
    remarks: list[Remark] = []

    def one(procedure: Procedure) -> Procedure:
        body = _Visitor(procedure, table, remarks).body(procedure.body)
        return procedure if body is procedure.body else dataclasses.replace(procedure, body=body)

    return PassResult(map_procedures(program, one), tuple(remarks))


class _Visitor:
    def __init__(self, procedure: Procedure, table: SymbolTable, remarks: list[Remark]) -> None:
        self.procedure, self.table, self.remarks = procedure, table, remarks

    def body(self, body: s.Body) -> s.Body:
        out = tuple(n for st in body for n in self.statement(st))
        same = len(out) == len(body) and all(a is b for a, b in zip(out, body, strict=True))
        return body if same else out

    def statement(self, st: s.Statement) -> s.Body:
        if isinstance(st, s.ParallelLoop):
            return (st,)
        if isinstance(st, s.Do):
            if _is_parallel(st, self.table, self.procedure):
                return (st,)
            parts = self.parts(st)
            if len(parts) > 1:
                remark = f"the loop runs as {len(parts)} loops: {_described(parts)}"
                self.remarks.append(
                    Remark(
                        "distribute", "applied", st.span, self.procedure.name, remark, "no value passes back over a cut"
                    )
                )
                return tuple(dataclasses.replace(st, body=body, name="") for body, _ in parts)
        return (map_statement(st, lambda e: e, self.body),)

    def parts(self, st: s.Do) -> list[tuple[s.Body, bool]]:
        """The bodies of the loops that a loop in order becomes, each with whether it is parallel; empty: it stays whole."""
        if not self.may_be_cut(st):
            return []
        blocks = tuple(s.Block((), (b,), span=b.span) for b in st.body)
        model = build_model((dataclasses.replace(st, body=blocks),), self.table, self.procedure.id)
        groups: list[s.Body] = [()]
        for k, inner in enumerate(st.body, start=1):
            groups[-1] = (*groups[-1], inner)
            if k < len(st.body) and isinstance(
                distributable(model, k, own_on_each_side(model, st, k, self.procedure, self.table), self.table), Proven
            ):
                groups.append(())
        if len(groups) == 1:
            return []
        merged = self.merged(st, groups)
        return merged if any(parallel and _writes_arrays(body) for body, parallel in merged) else []

    def may_be_cut(self, st: s.Do) -> bool:
        """Whether the loop has the form: more than loops in it, nothing that leaves it, bounds that keep their value."""
        inside = tuple(walk_statements(st.body))
        return (
            1 < len(st.body) <= MOST_STATEMENTS
            and any(isinstance(b, (s.Assign, s.If)) for b in st.body)
            and all(isinstance(i, _IN_PARTS) for i in inside)
            and not _may_stop(st.body, self.table)
            and has_one_name(st.index.id, self.table)
            and st.index.id not in named_in_calls(st.body, self.table)
            and all(
                Invariance(self.table, defined_in((st,), self.table), self.procedure.id)(e)
                for e in (st.lower, st.upper, st.step)
            )
        )

    def merged(self, st: s.Do, groups: list[s.Body]) -> list[tuple[s.Body, bool]]:
        out: list[tuple[s.Body, bool]] = []
        for group in groups:
            parallel = _is_parallel(dataclasses.replace(st, body=group), self.table, self.procedure)
            if out and out[-1][1] == parallel:
                both = (*out[-1][0], *group)
                if not parallel or _is_parallel(dataclasses.replace(st, body=both), self.table, self.procedure):
                    out[-1] = (both, parallel)
                    continue
            out.append((group, parallel))
        return out


def own_on_each_side(model: LoopModel, st: s.Do, cut: int, procedure: Procedure, table: SymbolTable) -> frozenset[str]:
    """Scalars that the statements before a cut and those behind it each write before they read, dead after the loop."""
    elsewhere = named_in_calls(st.body, table)
    out = set()
    for id in {a.array for a in model.accesses if a.is_write and a.loops}:
        symbol = table.symbols.get(id)
        if symbol is None or symbol.shape is not None or not isinstance(symbol.type, Intrinsic):
            continue
        if not has_one_name(id, table) or id in elsewhere or live_after(st, id, procedure, table):
            continue
        uses = [a for a in model.accesses if a.array == id and a.loops]
        sides = ([a for a in uses if statement_of(a) <= cut], [a for a in uses if statement_of(a) > cut])
        if all(isinstance(private_to(model.loops[0], side, symbol.name), Proven) for side in sides):
            out.add(id)
    return frozenset(out)


def _is_parallel(st: s.Do, table: SymbolTable, procedure: Procedure) -> bool:
    model = build_model((st,), table, procedure.id)
    loop = model.loops[0]
    scalars = loop_scalars(model, loop, st.body, table)
    if scalars.carried or loop.direction == 0:
        return False
    return isinstance(independent(model, (loop,), table, frozenset((*scalars.private, *scalars.reductions))), Proven)


def _may_stop(body: s.Body, table: SymbolTable) -> bool:
    """Whether a procedure called in the body can stop the program: which one does first must not change."""
    todo, seen = [getattr(t, "id", "") for t in called_targets(body)], set()
    while todo:
        id = todo.pop()
        if id in seen:
            continue
        seen.add(id)
        if id not in table.procedures or any(isinstance(i, s.Stop) for i in walk_statements(table.procedures[id].body)):
            return True
        todo += [getattr(t, "id", "") for t in called_targets(table.procedures[id].body)]
    return False


def _writes_arrays(body: s.Body) -> bool:
    return any(isinstance(i, s.Assign) and isinstance(i.target, (x.Element, x.Section)) for i in walk_statements(body))


def _described(parts: list[tuple[s.Body, bool]]) -> str:
    return ", ".join(f"line {body[0].span.line} {'parallel' if parallel else 'in order'}" for body, parallel in parts)
