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
from polystencil.ir import statements as s
from polystencil.ir.directives import KEEP
from polystencil.ir.program import Procedure, Program, TypeDefinition
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import map_procedures, nested_bodies
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.transforms.fusion_candidates import adjacent_runs, not_selected, related
from polystencil.transforms.fusion_coverage import RuntimeCheck
from polystencil.transforms.fusion_paths import arrays_written, family, name_of
from polystencil.transforms.fusion_pins import pinned
from polystencil.transforms.fusion_placement import FusedGroup, place_fused
from polystencil.transforms.fusion_refusal import NotFused
from polystencil.transforms.fusion_steps import Place, Step, produced_together, settled, take_in
from polystencil.transforms.results import PassResult
from polystencil.transforms.swap import NotSwapped, check_swap


def fuse(program: Program, options: Options) -> PassResult:
    """The program with producers fused into their consumers, and remarks for fuse and swap."""
    table = symbol_table(program)
    remarks: list[Remark] = []

    def one(procedure: Procedure) -> Procedure:
        work = FusionWork(procedure, table, options, remarks)
        body = procedure.body
        while (new := work.next(body)) is not None:
            body = new
        if body is procedure.body:
            return procedure
        return dataclasses.replace(procedure, body=body, types=(*procedure.types, *work.types))

    return PassResult(map_procedures(program, one), tuple(remarks))


class FusionWork:
    """Fusions in one procedure; `search` looks everywhere in a body, `group` at one run of adjacent loops."""

    def __init__(self, procedure: Procedure, table: SymbolTable, options: Options, remarks: list[Remark]) -> None:
        self.procedure, self.table, self.options, self.remarks = procedure, table, options, remarks
        self.done: set[tuple[object, object]] = set()
        self.count = 0
        self.types: tuple[TypeDefinition, ...] = ()

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
        for group in reversed(adjacent_runs(body)):
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
            here = run[: last + 1]
            place = Place(here, around, produced_together(here[:-1]), self.table, self.procedure.id)
            consumer_loop, pins = pinned(run[last], here[:-1], place.together, self.table)
            steps: list[Step] = []
            for k in range(last - 1, -1, -1):
                step = self.pair(run[k], consumer_loop, place, steps)
                if step is None:
                    break
                steps.append(step)
                consumer_loop = step.fused
            kept, dropped = settled(steps, place)
            for step, why in dropped:
                self.refused(step.producer.loop, run[last], why)
            if kept:
                return self.place(kept, run[last - len(kept) : last + 1], whole, pins)
        return None

    def pair(
        self, producer: s.ParallelLoop, consumer: s.ParallelLoop, place: Place, steps: list[Step]
    ) -> Step | None:
        own = {family(p) for p in arrays_written(producer)}
        superseded = any(own & {family(p) for p in st.paths} for st in steps)
        if KEEP in producer.directives or KEEP in consumer.directives:
            return None
        if not related(producer, consumer) and not superseded:
            return None
        original = place.run[-1]
        try:
            self.count += 1
            step = take_in(producer, consumer, place, steps, self.count)
        except NotFused as why:
            self.refused(producer, original, why)
            return None
        return step

    def refused(self, producer: s.ParallelLoop, consumer: s.ParallelLoop, why: NotFused) -> None:
        """Say once why two loops are not fused."""
        if (producer.span, consumer.span) in self.done:
            return
        self.done.add((producer.span, consumer.span))
        self.remark("fuse", "refused", producer, consumer, str(why), why.claim, why.witness)
        self.swap_refused(producer, consumer, f"the loops are not fused: {why}")

    def place(
        self, steps: list[Step], group: tuple[s.ParallelLoop, ...], whole: s.Body, pins: tuple[RuntimeCheck, ...]
    ) -> s.Body:
        steps = [dataclasses.replace(st, checks=(*pins, *st.checks)) for st in steps]
        chain = steps[0].chain
        renamed = tuple({r.path: r for st in steps for r in st.renamed}.values())
        consumer = steps[-1].fused
        checks = tuple(dict.fromkeys(c for st in steps for c in st.checks))
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
        new, types = place_fused(whole, fused, self.table)
        self.types += types
        self.table.types.update((t.id, t) for t in types)
        for step in steps:
            self.done.add((step.producer.loop.span, group[-1].span))
            self.applied(step, group[-1])
            if renamed:
                status = "applied" if takes_turns else "refused"
                reason = "the copy and the array take turns" if takes_turns else why_not
                self.remark("swap", status, step.producer.loop, group[-1], reason)
            elif self.options.enabled("swap"):
                self.remark("swap", "not-applicable", step.producer.loop, group[-1], "no array is renamed by the fusion")
        return new

    def applied(self, step: Step, consumer: s.ParallelLoop) -> None:
        chain_lines = [loop.span.line for loop in step.chain.loops]
        details: dict[str, object] = {
            "chain_lines": chain_lines,
            "cost": step.cost.as_json(),
            "renamed": [name_of(r.path) for r in step.renamed],
            "checks": [c.text for c in step.checks],
        }
        chain_end = f"; the chain of loops ends because {step.chain.ended}" if step.chain.ended != "the outermost loop" else ""
        status = "runtime-checked" if step.checks else "applied"
        how = "every element read is computed where it is read"
        if "last loop" in step.claim:
            how += ", by the last loop that writes it, or is that in memory"
        kind = " ".join(sorted({c.kind for c in step.checks}))
        reason = (
            f"a run-time check of the {kind} decides" if step.checks else how
        ) + f": {step.cost.operations} operations more per element for {step.cost.bytes} bytes less{chain_end}"
        self.remark("fuse", status, step.producer.loop, consumer, reason, step.claim, None, details)

    def swap_refused(self, producer: s.ParallelLoop, consumer: s.ParallelLoop, reason: str) -> None:
        if self.options.enabled("swap"):
            self.remark("swap", "refused", producer, consumer, reason)

    def apart(self, body: s.Body) -> None:
        """Remarks for loops that would be producer and consumer but for a statement between them."""
        loops = [(k, st) for k, st in enumerate(body) if isinstance(st, s.ParallelLoop)]
        for (k, a), (m, b) in pairwise(loops):
            if m == k + 1 or not related(a, b) or KEEP in a.directives or (a.span, b.span) in self.done:
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


__all__ = ["fuse", "not_selected"]
