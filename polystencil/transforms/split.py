"""split: a parallel loop whose body tests its indices near the bounds becomes an interior without the tests and a frame.

    do concurrent (i = 1:n)             if (n >= minimum .and. 2 <= n) then
      if (i == 1) then                    do concurrent (frame = 0:0) ...  ! i = 1, the body as it was
        b(i) = a(i)                       do concurrent (i = 2:n)
      else                    -->           b(i) = a(i) - a(i - 1)
        b(i) = a(i) - a(i - 1)            end do
      end if                            else
    end do                                the loop as it was
                                        end if

Functions are inlined first. A test is collected when it compares one index with something at most 16 from a bound of
its loop; `proofs.decided` takes it out of the interior, `proofs.partition` proves that interior and frame are all
iterations, each once. The host splits a nest of at least `split_min_iterations` that has an interior.

>>> import polystencil as ps
>>> before = '''
... subroutine slope(a, b, n)
...   integer, intent(in) :: n
...   real, intent(inout) :: a(n), b(n)
...   integer :: i
...   do concurrent (i = 1:n)
...     if (i == 1) then
...       b(i) = a(i)
...     else
...       b(i) = a(i) - a(i - 1)
...     end if
...   end do
... end subroutine'''
>>> print("\\n".join(ps.show(before, after="split", transforms="split").splitlines()[6:32]))
  if (2 <= n .and. n >= 131072_8) then
    block
      integer(4) :: frame
      do concurrent (frame = 0:0)
        block
          integer(4) :: i
          integer(4) :: rest
          rest = frame
          i = rest + 1
          if (i == 1) then
            b(i) = a(i)
          else
            b(i) = a(i) - a(i - 1)
          end if
        end block
      end do
    end block
    do concurrent (i = 2:n)
      b(i) = a(i) - a(i - 1)
    end do
  else
    do concurrent (i = 1:n)
      if (i == 1) then
        b(i) = a(i)
      else
        b(i) = a(i) - a(i - 1)
"""

from __future__ import annotations

import dataclasses

import islpy as isl

from polystencil.analysis.definitions import Invariance, defined_in
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import all_of, compare, integer
from polystencil.ir.directives import IN_TILE, TILE
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import map_procedures, map_statement, walk_body_expressions
from polystencil.ir.types import INTEGER8
from polystencil.options import Options
from polystencil.polyhedral.affine import Scope
from polystencil.proofs.partition import is_partition
from polystencil.proofs.verdicts import Proven
from polystencil.remarks import Remark
from polystencil.transforms.frame import Box, frame_loop, has_interior
from polystencil.transforms.index_tests import BodyWalk, loop_scope
from polystencil.transforms.inline import InlineNote, Inliner
from polystencil.transforms.jam import FACTOR_IN_TILE, NotJammed, jam_in_order, jam_interior
from polystencil.transforms.margins import Bounds, Margins, bounds_of, find_margins, frame_pieces
from polystencil.transforms.overwritten import arrays_overwritten
from polystencil.transforms.results import PassResult
from polystencil.transforms.split_conditions import has_room, iterations_of, keeps_shape, stands_outside
from polystencil.transforms.split_figures import split_figures
from polystencil.transforms.split_pieces import loop_over_corners, margin_loops, pieces_of
from polystencil.transforms.splittable import NotSplit, called_from_parallel_loops, check_splittable
from polystencil.transforms.windows import whole_domain, window_functions, window_margins

MINIMUM = 131072  # iterations; below, the longest work item of the frame decides how long a launch takes


def split(program: Program, options: Options) -> PassResult:
    """The program with splittable parallel loops split, and remarks for split, jam and inline."""
    table = symbol_table(program)
    remarks: list[Remark] = []
    serial = called_from_parallel_loops(program)

    def one(procedure: Procedure) -> Procedure:
        visitor = _Visitor(procedure, table, options, remarks, procedure.id in serial)
        body = visitor.body(procedure.body)
        return procedure if body is procedure.body else dataclasses.replace(procedure, body=body)

    return PassResult(map_procedures(program, one), tuple(remarks))


class _Visitor:
    def __init__(
        self, procedure: Procedure, table: SymbolTable, options: Options, remarks: list[Remark], serial: bool
    ) -> None:
        self.procedure, self.table, self.options, self.remarks = procedure, table, options, remarks
        self.serial, self.count, self.loops = serial, 0, 0

    def body(self, body: s.Body) -> s.Body:
        out: list[s.Statement] = []
        for st in body:
            out.extend(self.loop(st) if isinstance(st, s.ParallelLoop) else (self.inside(st),))
        same = len(out) == len(body) and all(a is b for a, b in zip(out, body, strict=True))
        return body if same else tuple(out)

    def inside(self, st: s.Statement) -> s.Statement:
        return map_statement(st, lambda e: e, self.body)

    def loop(self, st: s.ParallelLoop) -> s.Body:
        """One parallel loop: split, or as it was with the reason. Copies that a pass made are not considered."""
        if TILE in st.directives:
            return (self.inside(st),)
        if st.origin == "array":
            return (st,)
        try:
            return self.split(st)
        except NotSplit as why:
            self.remark("split", "refused", st, str(why))
            if self.options.enabled("jam"):
                self.remark("jam", "refused", st, f"there is no interior: the loop is not split ({why})")
            return (st,)

    def split(self, st: s.ParallelLoop) -> s.Body:
        self.loops += 1
        keeps = Invariance(self.table, defined_in((st,), self.table), self.procedure.id)
        inliner = Inliner(
            self.table, f"{self.procedure.id}.loop{self.loops}",
            may_assume=lambda e: stands_outside(e, self.table) and keeps_shape(e, keeps),
        )  # fmt: skip
        inlined = inliner.body(st.body)
        self.inline_remarks(st, inliner.notes)
        check_splittable(st, self.table, self.procedure, self.serial)
        for v in inliner.symbols:
            self.table.symbols[v.id] = v
            self.table.owner[v.id] = self.procedure.id
        whole = whole_domain(st)
        scope = loop_scope(whole, inlined, self.table, self.procedure.id)
        bounds = bounds_of(whole, scope)
        if bounds is None:
            raise NotSplit("a bound of the loop is not affine")
        collect = BodyWalk(scope, bounds.inner(*((0,) * len(st.indices),) * 2), self.table)
        collect.body(inlined)
        margins = find_margins(collect.tests, bounds)
        if not any((*margins.low, *margins.high)):
            raise NotSplit(
                "no test compares one index with a bound of its loop at a constant distance of at most 16: "
                "nothing to take out of an interior"
            )

        def walk_at(points: isl.Set) -> BodyWalk:
            return BodyWalk(loop_scope(whole, inlined, self.table, self.procedure.id), points, self.table)

        walk = walk_at(bounds.inner(margins.low, margins.high))
        interior_body = walk.body(inlined)
        if IN_TILE in st.directives:
            window = bounds_of(st, scope)
            if window is None:
                raise NotSplit("a bound of the window is not affine")
            pieces, verdict = pieces_of(st, bounds, window, margins, sum(1 for _ in walk_body_expressions(inlined)))
            interior = dataclasses.replace(pieces[0].loop, body=interior_body)
            margin = margin_loops(pieces, lambda points: walk_at(points).body(inlined))
            enough = all_of(has_room(whole, margins), *inliner.assumptions)
            self.count += 1
            corners = loop_over_corners(st, pieces, enough, f"{self.procedure.id}.split{self.count}")
            inner = self.in_pieces(st, margins, interior, walk, verdict)
            choice = s.Choice("split", (st.span.line,))
            return (s.If((s.Branch(enough, (*inner, *margin), st.span),), span=st.span, choice=choice), corners)
        verdict = self.partition(st, bounds, margins, scope)
        return self.rewritten(st, margins, interior_body, walk, verdict, tuple(inliner.assumptions))

    def partition(self, st: s.ParallelLoop, bounds: Bounds, margins: Margins, scope: Scope) -> Proven:
        """The claim that interior and frame are all iterations (of the window, where there is one), each once."""
        low: tuple[int | isl.PwAff, ...] = margins.low
        high: tuple[int | isl.PwAff, ...] = margins.high
        here = bounds
        if st.domain is not None:
            found = bounds_of(st, scope)
            if found is None:
                raise NotSplit("a bound of the window is not affine")
            here = found
            rows = window_functions(here, bounds, margins)
            low, high = (rows[0], *margins.low[1:]), (rows[1], *margins.high[1:])
            if not here.inner(low, high).is_subset(bounds.inner(margins.low, margins.high)):
                raise NotSplit("the interior of a window may reach beyond the interior of the loop")
        none = (0,) * len(st.indices)
        verdict = is_partition(here.inner(none, none), frame_pieces(here, low, high), here.inner(low, high).params())
        if not isinstance(verdict, Proven):
            raise NotSplit("the partition of the iterations could not be proven")
        return verdict

    def in_pieces(
        self, st: s.ParallelLoop, margins: Margins, interior: s.ParallelLoop, walk: BodyWalk, verdict: Proven
    ) -> s.Body:  # fmt: skip
        """The interior of a loop inside of a tile, jammed where that pays, with the remarks."""
        domain = Box(whole_domain(st).indices, tuple(map(integer, margins.low)), tuple(map(integer, margins.high)))
        details = split_figures(domain, margins, walk, (), self.table, "the domain has room for the margins")
        reason = f"every piece of the loop in a tile runs without the {margins.tests} tests that have one value there"
        self.remark("split", "runtime-checked", st, reason, verdict.claim, details)
        if not self.options.enabled("jam"):
            return (interior,)
        try:
            inner = jam_in_order(interior, f"{self.procedure.id}.split{self.count}", self.table)
        except NotJammed as why:
            self.remark("jam", "refused", st, str(why))
            return (interior,)
        self.remark("jam", "applied", st, f"{FACTOR_IN_TILE} rows at a time inside of a tile",
                    "iterations of a parallel loop may run in any order", {"factor": FACTOR_IN_TILE})  # fmt: skip
        return inner

    def rewritten(
        self, st: s.ParallelLoop, margins: Margins, interior_body: s.Body, walk: BodyWalk, verdict: Proven,
        assumptions: tuple[x.Expression, ...],
    ) -> s.Body:  # fmt: skip
        self.count += 1
        prefix = f"{self.procedure.id}.split{self.count}"
        low: tuple[x.Expression, ...] = tuple(map(integer, margins.low))
        high: tuple[x.Expression, ...] = tuple(map(integer, margins.high))
        window = None if st.domain is None else window_margins(st, margins, f"{prefix}w")
        if window is not None:
            low, high = (window.low, *low[1:]), (window.high, *high[1:])
        box = Box(st.indices, low, high)
        domain = Box(whole_domain(st).indices, tuple(map(integer, margins.low)), tuple(map(integer, margins.high)))
        interior = dataclasses.replace(
            st,
            indices=tuple(
                dataclasses.replace(i, lower=box.first(d), upper=box.last(d)) for d, i in enumerate(st.indices)
            ),
            body=interior_body,
        )
        frame = frame_loop(st, box, f"{prefix}f")
        minimum = MINIMUM if self.options.split_min_iterations is None else self.options.split_min_iterations
        enough = has_interior(box) if minimum <= 0 else all_of(
            has_interior(box), compare(">=", iterations_of(box), integer(minimum, INTEGER8))
        )  # fmt: skip
        enough = all_of(enough, *assumptions)
        details = split_figures(
            domain, margins, walk, arrays_overwritten(st, self.table), self.table,
            f"the interior is not empty and there are at least {minimum} iterations",
        )  # fmt: skip
        if st.domain is None:
            details = {"interior": details.pop("interior_of_domain"), **details}
        self.remark(
            "split", "runtime-checked", st,
            f"the interior runs without {margins.tests} tests of indices; at run time: at least {minimum} iterations "
            "and an interior (write-discard is kept for what the loop overwrites)", verdict.claim, details,
        )  # fmt: skip
        parallel: s.Body = (frame, interior)
        if self.options.enabled("jam"):
            parallel = jam_interior(st, box, interior, frame, prefix, self.table, self.options, self.remark)
        choice = s.If((s.Branch(enough, parallel, st.span),), (st,), s.Choice("split", (st.span.line,)), span=st.span)
        if window is None:
            return (choice,)
        return (s.Block(window.symbols, (*window.assignments, choice), span=st.span),)

    def inline_remarks(self, st: s.ParallelLoop, notes: list[InlineNote]) -> None:
        for note in notes:
            status = "refused" if note.refusal else "applied"
            reason = note.refusal or f"{note.name} is inlined"
            self.remark("inline", status, st, f"{note.name} {reason}" if note.refusal else reason, "",
                        {"call_line": note.span.line})  # fmt: skip

    def remark(
        self, transform: str, status: str, st: s.ParallelLoop, reason: str, claim: str = "",
        details: dict[str, object] | None = None,
    ) -> None:  # fmt: skip
        self.remarks.append(
            Remark(transform, status, st.span, self.procedure.name, reason, claim, None, None, details or {})  # type: ignore[arg-type]  # one of Status
        )
