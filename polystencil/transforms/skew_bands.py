"""From a time loop, its rows and sigma to the host code that runs it launch by launch over bands of rows.

do while (t0 < n)                 ! s iterations at a time
  save the scalars the body assigns
  do b = 0, nb                    ! band by band
    restore them; k = 0
    do t = t0, t0 + s - 1
      ... each launch on its rows [B + b*R - k*sigma, B + (b + 1)*R - 1 - k*sigma]; k = k + 1
"""

from __future__ import annotations

import dataclasses

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import as_kind, compare, divided, integer, minus, plus, times, value_of
from polystencil.ir.program import Symbol
from polystencil.ir.traversal import map_body
from polystencil.ir.types import INTEGER8, Intrinsic
from polystencil.transforms.skew_placement import Placement, eight, extreme

LEAST_ROWS, LEAST_STEPS, MOST_STEPS = 8, 2, 32


class Bands(Placement):
    """The loop over groups of iterations, the bands of each, and the replay within a band."""

    names = ("count", "t0", "t", "band", "bands", "base", "height", "steps", "bytes", "flat", "per_row", "launch")

    def chosen(self) -> s.Body:
        v, index = self.v, self.first.indices[0]
        per_iteration = self.launches_per_iteration()
        steps = divided(v["height"], integer(2 * self.rows.sigma, INTEGER8))
        limited = extreme("max", extreme("min", steps, integer(MOST_STEPS, INTEGER8)), integer(LEAST_STEPS, INTEGER8))
        if per_iteration > 1:
            limited = extreme("max", divided(limited, integer(per_iteration, INTEGER8)), integer(1, INTEGER8))
        return (
            self.set(v["base"], eight(index.lower)),
            self.set(v["height"], extreme("max", self.rows_that_fit(), integer(LEAST_ROWS, INTEGER8))),
            self.set(v["steps"], limited),
            self.set(v["bands"], extreme("max", divided(x.Paren(minus(eight(index.upper), v["base"])), v["height"]),
                                         integer(0, INTEGER8))),
        )  # fmt: skip

    def launches_per_iteration(self) -> int:
        """Inner do loops of the body launch several times an iteration: constant trip counts of such loops."""
        most = 1

        def walk(body: s.Body, factor: int) -> None:
            nonlocal most
            for st in body:
                if isinstance(st, s.Do):
                    low, high = value_of(st.lower), value_of(st.upper)
                    trips = max(1, high - low + 1) if low is not None and high is not None else 4
                    most = max(most, factor * trips)
                    walk(st.body, factor * trips)
                elif isinstance(st, s.If):
                    for b in st.branches:
                        walk(b.body, factor)
                    walk(st.otherwise, factor)
                elif isinstance(st, s.Block):
                    walk(st.body, factor)

        walk(self.loop.body, 1)
        return most

    def sweep(self) -> tuple[s.Statement, ...]:
        """The loop over groups of iterations, the bands of each, and the replay within a band."""
        v = self.v
        one = integer(1, INTEGER8)
        windowed = map_body(self.loop.body, self.window)
        indices = self.indices_from_t()
        replay = s.Do(
            v["t"], v["t0"], minus(extreme("min", plus(v["t0"], v["steps"]), v["count"]), one), one,
            (*indices, *windowed), f"{self.prefix}.replay", span=self.span,
        )  # fmt: skip
        restore = tuple(self.set(r, saved) for r, saved in self.saved)
        band = s.Do(
            v["band"], integer(0, INTEGER8), v["bands"], one,
            (*restore, self.set(v["launch"], integer(0, INTEGER8)), replay), f"{self.prefix}.bands", span=self.span,
        )  # fmt: skip
        save = tuple(self.set(saved, r) for r, saved in self.saved)
        groups = s.DoWhile(
            compare("<", v["t0"], v["count"]), (*save, band, self.set(v["t0"], plus(v["t0"], v["steps"]))),
            f"{self.prefix}.groups", span=self.span,
        )  # fmt: skip
        return (self.set(v["t0"], integer(0, INTEGER8)), groups)

    def window(self, st: s.Statement) -> s.Body:
        """A launch on its rows in the current band."""
        if not isinstance(st, s.ParallelLoop):
            return (st,)
        self.launch_count += 1
        v, index = self.v, st.indices[0]
        prefix = f"{self.prefix}.w{self.launch_count}"
        low = Symbol(f"{prefix}.first_row", "first_row", INTEGER8)
        high = Symbol(f"{prefix}.last_row", "last_row", INTEGER8)
        lo, hi = x.Ref(low.id, INTEGER8), x.Ref(high.id, INTEGER8)
        shift = times(v["launch"], integer(self.rows.sigma, INTEGER8))
        start = minus(plus(v["base"], times(v["band"], v["height"])), shift)
        first, last = eight(index.lower), eight(index.upper)
        lower = s.If(
            (s.Branch(compare(">", v["band"], integer(0, INTEGER8)), (self.set(lo, extreme("max", first, start)),), self.span),),
            (self.set(lo, first),), span=self.span,
        )  # fmt: skip
        end = minus(plus(start, v["height"]), integer(1, INTEGER8))
        upper = s.If(
            (s.Branch(compare("<", v["band"], v["bands"]), (self.set(hi, extreme("min", last, end)),), self.span),),
            (self.set(hi, last),), span=self.span,
        )  # fmt: skip
        kind = index.ref.type.kind if isinstance(index.ref.type, Intrinsic) else 4
        own = dataclasses.replace(index, lower=as_kind(lo, kind), upper=as_kind(hi, kind))
        launch = dataclasses.replace(st, indices=(own, *st.indices[1:]), domain=st.domain or index)
        runs = s.If((s.Branch(compare("<=", lo, hi), (launch,), self.span),), span=self.span)
        count = self.set(v["launch"], plus(v["launch"], integer(1, INTEGER8)))
        return (s.Block((low, high), (lower, upper, runs, count), span=st.span),)
