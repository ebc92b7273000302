"""fuse and swap: a producer loop is computed inside its consumer, in all but the last iteration of the loops around.

    do step = 1, n                                 last = n
      do concurrent (i = 1:m-1)                    do step = 1, last
        f(i) = q(i + 1) - q(i)                       if (step == last) then
      end do                                           ... the two loops as they were
      do concurrent (i = 2:m-1)             -->      else
        q(i) = q(i) + f(i) - f(i - 1)                  do concurrent (i = 2:m-1)
      end do                                             q_copy(i) = q(i) + (q(i+1) - q(i)) - (q(i) - q(i-1))
    end do                                             end do
                                                       ... q_copy back into q, or the two take turns (swap)
                                                     end if
                                                   end do

Asks `proofs.produced` whether every element read is one that the producer writes; `time_chain` for the loops whose last
iteration keeps the intermediate arrays' values; `cost` whether it pays.

>>> import polystencil as ps
>>> before = '''
... subroutine steps(q, f, n, nt)
...   integer, intent(in) :: n, nt
...   real, allocatable, intent(inout) :: q(:)
...   real, intent(inout) :: f(n)
...   integer :: i, t
...   do t = 1, nt
...     do concurrent (i = 1:n - 1)
...       f(i) = q(i + 1) - q(i)
...     end do
...     do concurrent (i = 2:n - 1)
...       q(i) = q(i) + f(i) - f(i - 1)
...     end do
...   end do
... end subroutine'''
>>> print("\\n".join(ps.show(before, after="fuse", transforms="fuse").splitlines()[8:39]))
  block
    integer(4) :: t_last
    real(4), allocatable :: q_copy(:)
    t_last = nt
    if (allocated(q)) then
      allocate (q_copy(lbound(q, 1):ubound(q, 1)))
    end if
    do t = 1, t_last
      if (t == t_last) then
        !$polystencil keep
        do concurrent (i = 1:n - 1)
          f(i) = q(i + 1) - q(i)
        end do
        !$polystencil keep
        do concurrent (i = 2:n - 1)
          q(i) = q(i) + f(i) - f(i - 1)
        end do
      else
        do concurrent (i = 2:n - 1)
          q_copy(i) = q(i) + (q(i + 1) - q(i)) - (q(i) - q(i - 1))
        end do
        do concurrent (i = 2:n - 1)
          q(i) = q_copy(i)
        end do
      end if
    end do
  end block
end subroutine steps
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise

from polystencil.analysis.dead_arrays import used_only_in
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import map_procedures, nested_bodies, procedures_of
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.transforms.cost import Cost, fusion_cost
from polystencil.transforms.fusion_consumer import Consumer, Renamed, arrays_to_rename, as_consumer
from polystencil.transforms.fusion_coverage import RuntimeCheck, check_coverage
from polystencil.transforms.fusion_placement import FusedGroup, place_fused
from polystencil.transforms.fusion_producer import Producer, arrays_named, arrays_written, as_producer, family, path_of
from polystencil.transforms.fusion_refusal import NotFused
from polystencil.transforms.fusion_rewrite import fused_body
from polystencil.transforms.results import PassResult
from polystencil.transforms.splittable import KEEP
from polystencil.transforms.swap import NotSwapped, check_swap
from polystencil.transforms.time_chain import Chain, find_chain


def fuse(program: Program, options: Options) -> PassResult:
    """The program with producers fused into their consumers, and remarks for fuse and swap."""
    table = symbol_table(program)
    remarks: list[Remark] = []

    def one(procedure: Procedure) -> Procedure:
        work = FusionWork(procedure, table, options, remarks)
        body = procedure.body
        while (new := work.next(body)) is not None:
            body = new
        return procedure if body is procedure.body else dataclasses.replace(procedure, body=body)

    return PassResult(map_procedures(program, one), tuple(remarks))


@dataclasses.dataclass(frozen=True, eq=False)
class _Step:
    """One producer fused into what is the consumer so far."""

    producer: Producer
    consumer: Consumer
    renamed: tuple[Renamed, ...]
    checks: tuple[RuntimeCheck, ...]
    cost: Cost
    chain: Chain
    claim: str
    fused: s.ParallelLoop


class FusionWork:
    """Fusions in one procedure; `search` looks everywhere in a body, `group` at one run of adjacent loops."""

    def __init__(self, procedure: Procedure, table: SymbolTable, options: Options, remarks: list[Remark]) -> None:
        self.procedure, self.table, self.options, self.remarks = procedure, table, options, remarks
        self.done: set[tuple[object, object]] = set()
        self.count = 0

    def next(self, body: s.Body) -> s.Body | None:
        """The procedure's body after one more fusion; None when there is nothing left to fuse."""
        return self.search(body, (), body)

    def search(self, body: s.Body, around: tuple[s.Statement, ...], whole: s.Body) -> s.Body | None:
        for st in body:
            if isinstance(st, s.ParallelLoop):
                continue
            for inner in nested_bodies(st):
                new = self.search(inner, (st, *around), whole)
                if new is not None:
                    return new
        for group in reversed(_runs(body)):
            new = self.group(group, around, whole)
            if new is not None:
                return new
        self.apart(body)
        return None

    def group(
        self, run: tuple[s.ParallelLoop, ...], around: tuple[s.Statement, ...], whole: s.Body
    ) -> s.Body | None:
        """Try every consumer of a run of adjacent parallel loops, the last one first."""
        for last in range(len(run) - 1, 0, -1):
            consumer_loop = run[last]
            steps: list[_Step] = []
            first = last
            for k in range(last - 1, -1, -1):
                step = self.pair(run[k], consumer_loop, run[k : last + 1], run[last], around, steps)
                if step is None:
                    break
                steps.append(step)
                consumer_loop = step.fused
                first = k
            if steps:
                return self.place(steps, run[first : last + 1], whole)
        return None

    def pair(
        self, producer: s.ParallelLoop, consumer: s.ParallelLoop, group: tuple[s.ParallelLoop, ...],
        original: s.ParallelLoop, around: tuple[s.Statement, ...], steps: list[_Step],
    ) -> _Step | None:  # fmt: skip
        if not _related(producer, consumer) or KEEP in producer.directives or KEEP in consumer.directives:
            return None
        key = (producer.span, original.span)
        seen = key in self.done
        self.done.add(key)
        try:
            self.count += 1
            step = self.judge(producer, consumer, group, around, steps)
        except NotFused as why:
            if not seen:
                self.remark("fuse", "refused", producer, original, str(why), why.claim, why.witness)
                self.swap_refused(producer, original, f"the loops are not fused: {why}")
            return None
        return step

    def judge(
        self, producer_loop: s.ParallelLoop, consumer_loop: s.ParallelLoop, group: tuple[s.ParallelLoop, ...],
        around: tuple[s.Statement, ...], steps: list[_Step],
    ) -> _Step:  # fmt: skip
        producer = as_producer(producer_loop, self.table)
        _check_families(producer_loop, consumer_loop)
        consumer = as_consumer(consumer_loop, producer, self.table, self.procedure.id, self.count)
        already = tuple(r for st in steps for r in st.renamed)
        renamed = arrays_to_rename(producer, consumer, already, self.table)
        claim, checks = check_coverage(producer, consumer, self.table, self.procedure.id)
        cost = fusion_cost(producer, consumer, self.table)
        if not cost.pays:
            raise NotFused(
                f"the cost is too high: {cost.operations} operations more per element for {cost.bytes} bytes of memory "
                "traffic removed, over 64 per byte"
            )
        everything = {r.path for r in renamed} | {r.path for st in steps for r in st.renamed}
        chain = find_chain(around, group, producer, tuple(sorted(everything)), self.table)
        if steps and len(chain.loops) != len(steps[0].chain.loops):
            raise NotFused("the loops around qualify for another producer of the same consumer, but not for this one")
        body, symbols = fused_body(consumer.loop.body, producer, f"{self.procedure.id}.fused{self.count}")
        for v in symbols:
            self.table.symbols[v.id] = v
            self.table.owner[v.id] = self.procedure.id
        fused = dataclasses.replace(consumer.loop, body=body)
        return _Step(producer, consumer, renamed, checks, cost, chain, claim, fused)

    def place(
        self, steps: list[_Step], group: tuple[s.ParallelLoop, ...], whole: s.Body
    ) -> s.Body:
        chain = steps[0].chain
        renamed = tuple({r.path: r for st in steps for r in st.renamed}.values())
        consumer = steps[-1].fused
        checks = tuple(c for st in steps for c in st.checks)
        takes_turns, why_not = False, "swap is not selected by the option --transforms"
        if self.options.enabled("swap") and renamed:
            try:
                check_swap(chain, group, renamed, consumer, self.table)
                takes_turns = True
            except NotSwapped as why:
                why_not = str(why)
        self.count += 1
        intermediates = {p for st in steps for d in st.producer.definitions for p in [d.path]}
        here = dataclasses.replace(self.procedure, body=whole)
        dead = all(used_only_in(p, group, here, self.table) for p in intermediates)
        fused = FusedGroup(
            group, consumer, renamed, chain, checks, takes_turns, dead, f"{self.procedure.id}.fuse{self.count}"
        )
        new = place_fused(whole, fused, self.table)
        for step in steps:
            self.applied(step, group[-1])
            if renamed:
                status = "applied" if takes_turns else "refused"
                reason = "the copy and the array take turns" if takes_turns else why_not
                self.remark("swap", status, step.producer.loop, group[-1], reason)
            elif self.options.enabled("swap"):
                self.remark("swap", "not-applicable", step.producer.loop, group[-1], "no array is renamed by the fusion")
        return new

    def applied(self, step: _Step, consumer: s.ParallelLoop) -> None:
        chain_lines = [loop.span.line for loop in step.chain.loops]
        details: dict[str, object] = {
            "chain_lines": chain_lines,
            "cost": step.cost.as_json(),
            "renamed": [r.path.rsplit(".", 1)[-1] for r in step.renamed],
            "checks": [c.text for c in step.checks],
        }
        chain_end = f"; the chain of loops ends because {step.chain.ended}" if step.chain.ended != "the outermost loop" else ""
        status = "runtime-checked" if step.checks else "applied"
        kind = " ".join(sorted({c.kind for c in step.checks}))
        reason = (
            f"a run-time check of the {kind} decides" if step.checks else "every element read is computed where it is read"
        ) + f": {step.cost.operations} operations more per element for {step.cost.bytes} bytes less{chain_end}"
        self.remark("fuse", status, step.producer.loop, consumer, reason, step.claim, None, details)

    def swap_refused(self, producer: s.ParallelLoop, consumer: s.ParallelLoop, reason: str) -> None:
        if self.options.enabled("swap"):
            self.remark("swap", "refused", producer, consumer, reason)

    def apart(self, body: s.Body) -> None:
        """Remarks for loops that would be producer and consumer but for a statement between them."""
        loops = [(k, st) for k, st in enumerate(body) if isinstance(st, s.ParallelLoop)]
        for (k, a), (m, b) in pairwise(loops):
            if m == k + 1 or not _related(a, b) or KEEP in a.directives or (a.span, b.span) in self.done:
                continue
            self.done.add((a.span, b.span))
            reason = "the loops are not adjacent: another statement stands between them"
            self.remark("fuse", "refused", a, b, reason)
            self.swap_refused(a, b, f"the loops are not fused: {reason}")

    def remark(
        self, transform: str, status: str, producer: s.ParallelLoop, consumer: s.ParallelLoop, reason: str,
        claim: str = "", witness: dict[str, object] | None = None, details: dict[str, object] | None = None,
    ) -> None:  # fmt: skip
        self.remarks.append(
            Remark(transform, status, producer.span, self.procedure.name, reason, claim, witness, consumer.span,  # type: ignore[arg-type]  # one of Status
                   details or {})
        )  # fmt: skip


def _runs(body: s.Body) -> list[tuple[s.ParallelLoop, ...]]:
    """Maximal runs of at least two adjacent parallel loops."""
    runs: list[list[s.ParallelLoop]] = [[]]
    for st in body:
        if isinstance(st, s.ParallelLoop):
            runs[-1].append(st)
        elif not isinstance(st, s.Continue):
            runs.append([])
    return [tuple(r) for r in runs if len(r) > 1]


def _related(producer: s.ParallelLoop, consumer: s.ParallelLoop) -> bool:
    """Whether a loop reads an array that the other assigns."""
    written = {family(p) for p in arrays_written(producer)}
    return bool(written & {family(p) for p in arrays_named((consumer,))}) and "array" not in (producer.origin, consumer.origin)


def _check_families(producer: s.ParallelLoop, consumer: s.ParallelLoop) -> None:
    """Two designators that differ only in subscripts on the way to a component may be one array."""
    from polystencil.ir.traversal import walk_body_expressions

    written = arrays_written(producer) | arrays_written(consumer)
    named: dict[str, set[str]] = {}
    for e in walk_body_expressions((producer, consumer)):
        if isinstance(e, (x.Component, x.Ref)) and (p := path_of(e)) is not None:
            named.setdefault(family(p), set()).add(p)
    for p in written:
        if len(named.get(family(p), set())) > 1:
            raise NotFused(f"{family(p).rsplit('.', 1)[-1]} is reached with different subscripts, which may name one array")


def not_selected(program: Program) -> tuple[Remark, ...]:
    """A remark for every pair of neighbouring loops that the options keep apart."""
    out: list[Remark] = []

    def look(body: s.Body, procedure: Procedure) -> None:
        loops = [st for st in body if isinstance(st, s.ParallelLoop)]
        for a, b in pairwise(loops):
            if _related(a, b):
                reason = "fuse is not selected by the option --transforms"
                out.append(Remark("fuse", "refused", a.span, procedure.name, reason, with_span=b.span))
                reason = "swap needs fuse, which is not selected by the option --transforms"
                out.append(Remark("swap", "refused", a.span, procedure.name, reason, with_span=b.span))
        for st in body:
            for inner in nested_bodies(st):
                look(inner, procedure)

    for procedure in procedures_of(program):
        look(procedure.body, procedure)
    return tuple(out)
