"""inline of subroutines: loops of different subroutines stand side by side where that lets them be fused.

    do t = 1, nt                             do t = 1, nt
      call flux(q, f, n)                       ... the loops of flux, in terms of q, f and n
      call update(q, f, n)         -->         ... the loops of update
    end do                                   end do

Calls next to each other, or next to parallel loops, inside of a do loop. `fuse` is asked first: where nothing of the
opened calls would be fused with a loop of another subroutine, they stay calls. `callable_inline` judges the subroutine,
`call_arguments` what its dummies stand for; `call_splicing` makes one block of the bodies. A long file for its example.

>>> import polystencil as ps
>>> before = '''
... module m
... contains
...   subroutine flux(q, f)
...     real, intent(in) :: q(0:)
...     real, intent(out) :: f(0:)
...     integer :: i
...     do concurrent (i = 0:size(q) - 2)
...       f(i) = q(i + 1) - q(i)
...     end do
...   end subroutine
...   subroutine update(q, f, n)
...     integer, intent(in) :: n
...     real, intent(inout) :: q(n)
...     real, intent(in) :: f(n)
...     integer :: i
...     do concurrent (i = 2:n - 1)
...       q(i) = q(i) + f(i) - f(i - 1)
...     end do
...   end subroutine
...   subroutine steps(n, nt)
...     integer, intent(in) :: n, nt
...     real :: q(n), f(n)
...     integer :: t
...     q = 1.0
...     do t = 1, nt
...       call flux(q, f)
...       call update(q, f, n)
...     end do
...     print *, q
...   end subroutine
... end module'''
>>> from polystencil.options import Options
>>> from polystencil.ir.printer import print_program
>>> opened = inline_calls(ps.parse(before, name="m.f90"), Options()).program
>>> print("\\n".join(print_program(opened).splitlines()[33:47]))
    do t = 1, nt
      block
        integer(4) :: i
        do concurrent (i = 0:size(q, 1) - 2)
          f(i + 1) = q(i + 2) - q(i + 1)
        end do
      end block
      block
        integer(4) :: i
        do concurrent (i = 2:n - 1)
          q(i) = q(i) + f(i) - f(i - 1)
        end do
      end block
    end do
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from polystencil.errors import Span
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import map_procedures, map_statement, nested_bodies, procedures_of, walk_statements
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.transforms.call_instance import Instance, called, instance_of
from polystencil.transforms.call_splicing import spliced
from polystencil.transforms.fusion_trial import fusions_of
from polystencil.transforms.inline_refusal import NotInlined
from polystencil.transforms.results import PassResult

Run = tuple[s.Statement, ...]


def inline_calls(program: Program, options: Options) -> PassResult:
    """The program with calls opened whose loops will be fused with those next to them, and a remark for each call."""
    table = symbol_table(program)
    remarks: list[Remark] = []
    homes = {st.span: p.id for p in procedures_of(program) for st in walk_statements(p.body) if isinstance(st, s.ParallelLoop)}
    changed: dict[str, s.Body] = {}
    for procedure in procedures_of(program):
        work = _Opening(program, procedure, table, options, homes)
        while work.next():
            pass
        remarks += work.remarks
        if work.body is not procedure.body:
            changed[procedure.id] = work.body
    if not changed:
        return PassResult(program, tuple(remarks))
    return PassResult(with_bodies(program, changed), tuple(remarks))


def with_bodies(program: Program, changed: dict[str, s.Body]) -> Program:
    """The program with other bodies of some procedures."""
    return map_procedures(
        program, lambda p: dataclasses.replace(p, body=changed[p.id]) if p.id in changed else p
    )


def opened(run: Run, caller: Procedure, table: SymbolTable, prefix: str) -> tuple[s.Body, list[tuple[s.ParallelLoop, int]]]:
    """A run of calls and loops as the statements they run, and its loops with the position of what they come from.

    NotInlined where a call cannot be opened.
    """
    pieces: list[s.Statement | Instance] = []
    origins: dict[int, int] = {}
    for k, st in enumerate(run):
        piece = _piece(st, caller, table, f"{prefix}.call{k + 1}")
        pieces.append(piece)
        inside = piece.body if isinstance(piece, Instance) else (piece,)
        origins.update((id(i), k) for i in walk_statements(inside) if isinstance(i, s.ParallelLoop))
    body = spliced(pieces, table, run[0].span)
    return body, [(i, origins[id(i)]) for i in _standing_loops(body)]


def _standing_loops(body: s.Body) -> Iterator[s.ParallelLoop]:
    """The loops that run whenever the statements do: not those in loops or branches of a subroutine, fused there or not."""
    for st in body:
        if isinstance(st, s.ParallelLoop):
            yield st
        elif isinstance(st, s.Block) and not st.name:
            yield from _standing_loops(st.body)


def _piece(st: s.Statement, caller: Procedure, table: SymbolTable, prefix: str) -> s.Statement | Instance:
    if isinstance(st, s.Call):
        return instance_of(st, caller, table, prefix)
    if isinstance(st, s.Block):  # of an associate construct, say, with calls in it
        inner = (_piece(i, caller, table, f"{prefix}.{k + 1}") if called(i, table) or isinstance(i, s.Block) else i
                 for k, i in enumerate(st.body))  # fmt: skip
        return dataclasses.replace(st, body=tuple(b for i in inner for b in _standing(i, st)))
    return st


def _standing(piece: s.Statement | Instance, at: s.Statement) -> s.Body:
    return piece.as_block(at) if isinstance(piece, Instance) else (piece,)


def calls_in(st: s.Statement, table: SymbolTable) -> Iterator[s.Call]:
    """The calls that opening a piece of a run opens."""
    if isinstance(st, s.Call) and called(st, table):
        yield st
    elif isinstance(st, s.Block) and not st.name:
        for i in st.body:
            yield from calls_in(i, table)


class _Opening:
    """Opens calls in one procedure, run by run."""

    def __init__(
        self, program: Program, procedure: Procedure, table: SymbolTable, options: Options, homes: dict[Span, str]
    ) -> None:
        self.program, self.procedure, self.table, self.options, self.homes = program, procedure, table, options, homes
        self.body = procedure.body
        self.remarks: list[Remark] = []
        self.seen: dict[int, s.Call] = {}  # calls decided, by identity
        self.shut: dict[int, s.Statement] = {}  # blocks that cannot be opened as a whole
        self.count = 0

    def next(self) -> bool:
        """Decide the next run of calls; False when there is none left."""
        run = next(self.runs(self.body, False), None)
        if run is None:
            return False
        possible = self.possible(run)
        self.seen.update((id(c), c) for st in run if id(st) not in self.shut for c in calls_in(st, self.table))
        for part in _parts(run, possible):
            self.decide(part)
        return True

    def runs(self, body: s.Body, in_loop: bool) -> Iterator[Run]:
        """Runs of neighbouring calls, loops and blocks of those inside of do loops, that hold a call not yet decided."""
        run: list[s.Statement] = []
        for st in body:
            if in_loop and self.is_piece(st):
                run.append(st)
                continue
            if self.is_open(run):
                yield tuple(run)
            run = []
            if not isinstance(st, s.ParallelLoop):
                for inner in nested_bodies(st):
                    yield from self.runs(inner, in_loop or isinstance(st, s.Do))
        if self.is_open(run):
            yield tuple(run)

    def is_piece(self, st: s.Statement) -> bool:
        if isinstance(st, (s.ParallelLoop, s.Continue)):
            return True
        if isinstance(st, s.Block) and not st.name and id(st) not in self.shut:
            return any(self.is_piece(i) and not isinstance(i, s.Continue) for i in st.body)
        return called(st, self.table) is not None

    def is_open(self, run: list[s.Statement]) -> bool:
        return any(id(c) not in self.seen for st in run for c in calls_in(st, self.table))

    def possible(self, run: Run) -> list[bool]:
        """Which pieces of a run can be opened; a remark for each call that cannot."""
        out = []
        for st in run:
            try:
                _piece(st, self.procedure, self.table, f"{self.procedure.id}.tried")
                out.append(True)
            except NotInlined as why:
                out.append(False)
                if isinstance(st, s.Call):
                    self.remark("refused", st, f"{self.name(st)} is not inlined: {why}")
                else:  # what stands in the block is looked at by itself
                    self.shut[id(st)] = st
        return out

    def decide(self, run: Run) -> None:
        """Open the calls of a run that are fused with what stands next to them."""
        calls = [c for st in run for c in calls_in(st, self.table)]
        if not calls:
            return
        self.count += 1
        prefix = f"{self.procedure.id}.opened{self.count}"
        made, loops = opened(run, self.procedure, self.table, prefix)
        homes = [(loop, k, self.homes.get(loop.span, "")) for loop, k in loops]
        if len({(k, home) for _, k, home in homes}) < 2:
            for call in calls:
                reason = f"{self.name(call)} stays a call: no parallel loop of another subroutine stands next to it"
                self.remark("not-applicable", call, reason)
            return
        body = _replaced(self.body, run, made)
        changed = with_bodies(self.program, {self.procedure.id: body})
        found = fusions_of([loop for loop, _ in loops], changed, self.procedure.id, self.options)
        fused: set[int] = set()
        for r in found:
            if r.transform == "fuse" and r.status in ("applied", "runtime-checked"):
                sides = [{(k, home) for loop, k, home in homes if loop.span == at} for at in (r.span, r.with_span)]
                if any(a != b for a in sides[0] for b in sides[1]):
                    fused |= {k for side in sides for k, _ in side}
        keep = [k in fused or not list(calls_in(st, self.table)) for k, st in enumerate(run)]
        if fused and all(keep):
            self.body = body
            for call in calls:
                reason = f"{self.name(call)} is inlined: its loops are fused with those of another subroutine next to them"
                self.remark("applied", call, reason)
        elif fused:
            for k, st in enumerate(run):
                if not keep[k]:
                    for call in calls_in(st, self.table):
                        self.refused(call, found)
            for part in _parts(run, keep):
                self.decide(part)
        else:
            between = {r for r in found if r.status == "refused" and self.between(r, homes)}
            self.remarks += [r for r in found if r in between and r not in self.remarks]
            for call in calls:
                self.refused(call, [r for r in found if r in between])

    def between(self, r: Remark, homes: list[tuple[s.ParallelLoop, int, str]]) -> bool:
        """Whether a remark is about loops that only stand side by side once the calls are opened."""
        sides = [{(k, home) for loop, k, home in homes if loop.span == at} for at in (r.span, r.with_span)]
        return any(a != b for a in sides[0] for b in sides[1])

    def refused(self, call: s.Call, found: list[Remark] | tuple[Remark, ...]) -> None:
        why = next((r.reason for r in found if r.transform == "fuse" and r.status == "refused"), "")
        reason = f"{self.name(call)} is not inlined: its loops would not be fused with others"
        self.remark("refused", call, f"{reason}: {why}" if why else f"{reason}, which are not producer and consumer")

    def name(self, call: s.Call) -> str:
        procedure = called(call, self.table)
        return procedure.name if procedure is not None else ""

    def remark(self, status: str, call: s.Call, reason: str) -> None:
        details: dict[str, object] = {"call_line": call.span.line, "callee": self.name(call)}
        self.remarks.append(
            Remark("inline", status, call.span, self.procedure.name, reason, details=details)  # type: ignore[arg-type]  # one of Status
        )


def _parts(run: Run, wanted: list[bool]) -> list[Run]:
    """The parts of a run between the pieces that are not wanted."""
    out: list[list[s.Statement]] = [[]]
    for st, want in zip(run, wanted, strict=True):
        if want:
            out[-1].append(st)
        else:
            out.append([])
    return [tuple(p) for p in out if p]


def _replaced(body: s.Body, run: Run, made: s.Body) -> s.Body:
    """The body with a run of statements replaced."""
    out: list[s.Statement] = []
    for st in body:
        if any(st is r for r in run):
            out.extend(made if st is run[0] else ())
        else:
            out.append(map_statement(st, lambda e: e, lambda b: _replaced(b, run, made)))
    same = len(out) == len(body) and all(a is b for a, b in zip(out, body, strict=True))
    return body if same else tuple(out)
