"""parallelize: plain do nests whose iterations are proven independent become parallel loops.

    do j = 1, m                              do concurrent (j = 1:m, i = 1:n)
      do i = 1, n                              block
        t = a(i, j)**2              -->          real :: t
        b(i, j) = t + 1                          t = a(i, j)**2
      end do                                     b(i, j) = t + 1
    end do                                     end block
                                             end do

Asks `proofs.independence` for every loop, `proofs.privacy` for the scalars it assigns. A loop that is refused keeps
its order and the loops inside it are asked in turn. Do variables and private scalars that are read later keep the
values that the last iteration leaves.

>>> import polystencil as ps
>>> before = '''
... subroutine scale(a, b, n)
...   integer, intent(in) :: n
...   real, intent(inout) :: a(n), b(n)
...   real :: t
...   integer :: i
...   do i = 1, n
...     t = 2.0*a(i)
...     b(i) = t + 1.0
...   end do
... end subroutine'''
>>> print("\\n".join(ps.show(before, after="parallelize", transforms="none").splitlines()[7:13]))
  do concurrent (i = 1:n)
    block
      real(4) :: t
      t = 2.0_4*a(i)
      b(i) = t + 1.0_4
    end block
"""

from __future__ import annotations

import dataclasses

from polystencil.analysis.definitions import Invariance, defined_in
from polystencil.analysis.effects import named_in_calls
from polystencil.analysis.storage import has_one_name
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import map_procedures, map_statement, walk_statements
from polystencil.polyhedral.accesses import Loop, LoopModel
from polystencil.polyhedral.model import build_model
from polystencil.proofs.independence import independent
from polystencil.proofs.verdicts import Proven, Refuted, Unknown, Verdict
from polystencil.remarks import Remark
from polystencil.transforms.last_values import NotKept, parallel_loop_keeping_values
from polystencil.transforms.loop_scalars import LoopScalars, loop_scalars
from polystencil.transforms.results import PassResult


def parallelize(program: Program, table: SymbolTable | None = None) -> PassResult:
    """The program with proven do nests as parallel loops, and a remark for every do loop outside of kernels."""
    table = table or symbol_table(program)
    remarks: list[Remark] = []

    def one(procedure: Procedure) -> Procedure:
        visitor = _Visitor(procedure, table, remarks)
        body = visitor.body(procedure.body)
        return procedure if body is procedure.body else dataclasses.replace(procedure, body=body)

    return PassResult(map_procedures(program, one), tuple(remarks))


class _Visitor:
    def __init__(self, procedure: Procedure, table: SymbolTable, remarks: list[Remark]) -> None:
        self.procedure, self.table, self.remarks = procedure, table, remarks
        self.count = 0

    def body(self, body: s.Body) -> s.Body:
        out: list[s.Statement] = []
        for st in body:
            new = self.statement(st)
            out.extend(new)
        same = len(out) == len(body) and all(a is b for a, b in zip(out, body, strict=True))
        return body if same else tuple(out)

    def statement(self, st: s.Statement) -> s.Body:
        if isinstance(st, s.ParallelLoop):
            return (st,)  # what stands inside runs inside a kernel
        if isinstance(st, s.Do):
            return self.nest(st)
        return (map_statement(st, lambda e: e, self.body),)

    def nest(self, st: s.Do) -> s.Body:
        """One outermost loop: parallel as a whole, or in order with its inner loops asked in turn."""
        blocked = _host_only(st.body)
        if blocked:
            self.remark(st, "refused", f"{blocked} inside the loop runs on the host, in order", None)
            return (map_statement(st, lambda e: e, self.body),)
        model = build_model((st,), self.table, self.procedure.id)
        loop = model.loops[0]
        scalars, verdict = self.judge(model, loop, st)
        if not isinstance(verdict, Proven):
            self.remark(st, "refused", _reason(verdict), verdict)
            return (map_statement(st, lambda e: e, self.body),)
        indices, body, chosen, merged = [_as_index(st)], st.body, scalars, [st]
        while len(body) == 1 and isinstance(body[0], s.Do):
            inner = body[0]
            inner_loop = next(l for l in model.loops if l.statement is inner)
            inner_scalars, inner_verdict = self.judge(model, inner_loop, inner)
            if not isinstance(inner_verdict, Proven) or self.moves_with(inner, st):
                break
            indices.append(_as_index(inner))
            body, chosen = inner.body, inner_scalars
            merged.append(inner)
        try:
            self.count += 1
            new = parallel_loop_keeping_values(
                st, tuple(indices), body, merged[-1].name, chosen, scalars, model, self.procedure, self.table, self.count
            )
        except NotKept as why:
            self.remark(st, "refused", str(why), None)
            return (map_statement(st, lambda e: e, self.body),)
        for loop_statement in merged:
            self.remark(loop_statement, "applied", "the iterations are independent", verdict, chosen)
        self.inner_remarks(model, st, merged)
        return new

    def judge(self, model: LoopModel, loop: Loop, st: s.Do) -> tuple[LoopScalars, Verdict]:
        scalars = loop_scalars(model, loop, st.body, self.table)
        if not has_one_name(st.index.id, self.table) or st.index.id in named_in_calls(st.body, self.table):
            why = "the do variable has another name (target, equivalence, common), or a procedure called in the loop names it"
            return scalars, Unknown("iterations are independent", why, st.span)
        for id, why in scalars.carried.items():
            verdict = independent(model, (loop,), self.table, frozenset(scalars.private) | set(scalars.reductions))
            if isinstance(verdict, Proven):
                return scalars, Unknown("iterations are independent", why, st.span)
            if isinstance(verdict, Refuted) and verdict.witness is not None:
                if verdict.witness.array == self.table.symbols[id].name:
                    return scalars, Refuted(verdict.claim, why, verdict.witness)
            return scalars, verdict
        ignored = frozenset(scalars.private) | frozenset(scalars.reductions)
        if loop.direction == 0:
            return scalars, Unknown("iterations are independent", "the step of the loop is not a constant", st.span)
        return scalars, independent(model, (loop,), self.table, ignored)

    def moves_with(self, inner: s.Do, outer: s.Do) -> bool:
        """Whether bounds of an inner loop may change while the outer one runs."""
        keeps = Invariance(self.table, defined_in((outer,), self.table), self.procedure.id)
        return not all(keeps(e) for e in (inner.lower, inner.upper, inner.step))

    def inner_remarks(self, model: LoopModel, st: s.Do, done: list[s.Do]) -> None:
        """What the loops are that stay inside one iteration of a parallel loop."""
        for inner in walk_statements((st,)):
            if isinstance(inner, s.Do) and not any(inner is d for d in done):
                loop = next((l for l in model.loops if l.statement is inner), None)
                if loop is None:
                    continue
                scalars, verdict = self.judge(model, loop, inner)
                good = isinstance(verdict, Proven)
                self.remark(inner, "applied" if good else "refused", _reason(verdict), verdict, scalars)

    def remark(
        self, st: s.Do, status: str, reason: str, verdict: Verdict | None, scalars: LoopScalars | None = None
    ) -> None:
        details = {}
        if scalars is not None:
            name = {id: self.table.symbols[id].name for id in (*scalars.private, *scalars.reductions)}
            indices = {i.index.id for i in walk_statements((st,)) if isinstance(i, s.Do)}
            details = {
                "private": [name[id] for id in scalars.private if id not in indices],
                "reductions": {name[id]: op for id, op in scalars.reductions.items()},
            }
        witness = verdict.witness.as_json() if isinstance(verdict, Refuted) and verdict.witness else None
        self.remarks.append(
            Remark(
                "parallelize", status, st.span, self.procedure.name, reason,  # type: ignore[arg-type]  # one of Status
                verdict.claim if verdict is not None else "", witness, None, details,
            )
        )  # fmt: skip


def _reason(verdict: Verdict) -> str:
    match verdict:
        case Refuted():
            return verdict.reason
        case Unknown():
            return verdict.why
        case _:
            return "the iterations are independent"


def _as_index(st: s.Do) -> s.LoopIndex:
    return s.LoopIndex(st.index, st.lower, st.upper, st.step)


_HOST = (s.Write, s.Read, s.FileStatement, s.NamelistTransfer, s.Allocate, s.Deallocate, s.PointerAssign)


def _host_only(body: s.Body) -> str:
    """What in a loop only the host can do; empty where there is nothing of the kind."""
    for st in walk_statements(body):
        match st:
            case s.Write() | s.Read() | s.FileStatement() | s.NamelistTransfer():
                return "input/output"
            case s.Allocate() | s.Deallocate():
                return "allocation"
            case s.PointerAssign():
                return "pointer assignment"
            case s.Stop():
                return "stop"
            case s.CallIntrinsic():
                return f"a call of {st.name}"
            case s.ParallelLoop():
                return "a launch of a parallel loop"
            case _:
                pass
    return ""


def uses_name(e: x.Expression, id: str) -> bool:
    """Whether an expression is the variable `id`."""
    return isinstance(e, x.Ref) and e.id == id
