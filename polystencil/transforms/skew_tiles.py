"""From a time loop, its rows and sigma to one parallel loop over tiles of rows, a tile for each core.

    do while (t0 < n)                       ! s iterations at a time
      save the scalars; run the body without its launches, which counts them and leaves the scalars as they will be
      do phase = 0, 1                       ! trapezoids, then the triangles between them
        do concurrent (tile = 0:tiles - 1 - phase)
          do b = 0, nb                      ! bands of the tile, for the cache of one core
            restore the scalars; k = 0
            do t = t0, t0 + s - 1
              ... each launch on its rows of band and tile, in order; k = k + 1

Trapezoid of a tile: its rows, narrowed by k*sigma at each boundary with another tile; triangle of a boundary c: the rows
c - k*sigma to c + k*sigma - 1. A core streams through its bands without waiting for the others; `proofs.tile_order`.
"""

from __future__ import annotations

import dataclasses

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import as_kind, compare, divided, integer, minus, plus, times, value_of
from polystencil.ir.directives import HOST, IN_TILE, TILE
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_body, map_body_expressions, walk_statements
from polystencil.ir.types import INTEGER8, Intrinsic
from polystencil.transforms.skew_body import TimeLoop
from polystencil.transforms.skew_placement import Placement, eight, extreme
from polystencil.transforms.skew_rows import Rows

LEAST_ROWS, LEAST_STEPS, MOST_STEPS = 8, 4, 32
NARROWEST = 2  # a tile has at least this many times the rows that its boundaries move in a group of iterations
SMALL = 8  # arrays below this part of a core's cache are not worth the tiles
ZERO, ONE = integer(0, INTEGER8), integer(1, INTEGER8)


class Tiles(Placement):
    """The loop over groups of iterations and, in each, the two parallel loops over tiles."""

    names = (
        "count", "t0", "t", "steps", "bytes", "flat", "per_row", "launches", "base", "extent", "tiles", "tile_rows",
        "band_rows", "phase",
    )  # fmt: skip

    def __init__(
        self, loop: TimeLoop, rows: Rows, cache: int, table: SymbolTable, prefix: str, cores: int
    ) -> None:  # fmt: skip
        super().__init__(loop, rows, cache, table, prefix)
        self.cores = cores
        self.least = cache // SMALL
        self.sigma = integer(rows.sigma, INTEGER8)
        self.private: list[Symbol] = []
        self.tile = self.own("tile")
        self.own_names = {n: self.own(n) for n in ("low", "high", "band", "bands", "launch", "group")}
        self.copies: dict[str, x.Ref] = {}
        for ref in (*loop.assigned, *(nest.index for nest in loop.nest)):
            if ref.id not in self.copies:
                self.copies[ref.id] = self.own(ref.id.rsplit(".", 1)[-1], ref.type)

    def own(self, name: str, kind: Intrinsic | object = INTEGER8) -> x.Ref:
        """A variable that each tile has for itself."""
        symbol = Symbol(f"{self.prefix}.own.{name}", name, kind, span=self.span)  # type: ignore[arg-type]  # an intrinsic type
        self.private.append(symbol)
        return x.Ref(symbol.id, symbol.type)

    def chosen(self) -> s.Body:
        v, index = self.v, self.first.indices[0]
        moved = self.rows.sigma * self.launches_of_an_iteration()
        narrowest = integer(max(1, NARROWEST * self.cores * moved), INTEGER8)
        fit = divided(x.Paren(minus(self.rows_that_fit(), integer(LEAST_ROWS, INTEGER8))), integer(moved, INTEGER8))
        several = extreme("max", extreme("min", fit, integer(MOST_STEPS, INTEGER8)), integer(LEAST_STEPS, INTEGER8))
        steps = extreme("min", several, divided(v["extent"], narrowest))
        return (
            self.set(v["base"], eight(index.lower)),
            self.set(v["extent"], plus(minus(eight(index.upper), v["base"]), ONE)),
            self.set(v["steps"], extreme("max", steps, ONE)),
            self.set(self.use, compare(">=", v["extent"], narrowest)),
        )

    def launches_of_an_iteration(self) -> int:
        """Launches that one iteration makes at most, with four trips assumed where the host knows no number."""
        return max(1, _launches(self.loop.body))

    def sweep(self) -> tuple[s.Statement, ...]:
        v = self.v
        end = minus(extreme("min", plus(v["t0"], v["steps"]), v["count"]), ONE)
        counting = map_body(self.loop.body, self.counted)
        replay = s.Do(
            v["t"], v["t0"], end, ONE, (*self.indices_from_t(), *map_body(counting, _on_host)), f"{self.prefix}.replay",
            (HOST,), span=self.span,
        )  # fmt: skip
        reach = extreme("max", times(integer(2 * self.rows.sigma, INTEGER8), v["launches"]), ONE)
        tiles = extreme("max", extreme("min", integer(self.cores, INTEGER8), divided(v["extent"], reach)), ONE)
        rows = extreme("max", minus(x.Paren(self.rows_that_fit()), times(self.sigma, v["launches"])),
                       integer(LEAST_ROWS, INTEGER8))  # fmt: skip
        phases = s.Do(v["phase"], ZERO, ONE, ONE, (self.tile_loop(end),), f"{self.prefix}.phases", span=self.span)
        group: s.Body = (
            *(self.set(saved, r) for r, saved in self.saved),
            self.set(v["launches"], ZERO),
            replay,
            self.set(v["tiles"], tiles),
            self.set(v["tile_rows"], divided(v["extent"], v["tiles"])),
            self.set(v["band_rows"], rows),
            phases,
            self.set(v["t0"], plus(v["t0"], v["steps"])),
        )
        groups = s.DoWhile(compare("<", v["t0"], v["count"]), group, f"{self.prefix}.groups", span=self.span)
        return (self.set(v["t0"], ZERO), groups)

    def counted(self, st: s.Statement) -> s.Body:
        """The host only counts a launch."""
        if not isinstance(st, s.ParallelLoop):
            return (st,)
        return (self.set(self.v["launches"], plus(self.v["launches"], ONE)),)

    # -- a tile ------------------------------------------------------------------------------------------------

    def tile_loop(self, end: x.Expression) -> s.ParallelLoop:
        """The tiles of one phase, each on its own."""
        v, o = self.v, self.own_names
        windowed = self.privately(map_body(self.loop.body, self.window))
        replay = s.Do(
            o["group"], v["t0"], end, ONE, (*self.privately(self.indices_at(o["group"])), *windowed),
            f"{self.prefix}.own.replay", span=self.span,
        )  # fmt: skip
        restore = tuple(self.set(self.copies[r.id], saved) for r, saved in self.saved)
        bands = s.Do(
            o["band"], ZERO, o["bands"], ONE, (*restore, self.set(o["launch"], ZERO), replay),
            f"{self.prefix}.own.bands", span=self.span,
        )  # fmt: skip
        start = plus(v["base"], times(x.Paren(plus(self.tile, v["phase"])), v["tile_rows"]))
        stop = minus(plus(o["low"], times(x.Paren(minus(ONE, v["phase"])), v["tile_rows"])), ONE)
        rows = minus(plus(v["base"], v["extent"]), o["low"])  # the last tile has the rows that are left over
        many = extreme("max", divided(x.Paren(minus(rows, ONE)), v["band_rows"]), ZERO)
        few = extreme("max", divided(x.Paren(minus(v["tile_rows"], ONE)), v["band_rows"]), ZERO)
        is_last = compare("==", self.tile, minus(v["tiles"], ONE))
        count = s.If(
            (s.Branch(compare("==", v["phase"], ONE), (self.set(o["bands"], ZERO),), self.span),
             s.Branch(is_last, (self.set(o["bands"], many),), self.span)),
            (self.set(o["bands"], few),), span=self.span,
        )  # fmt: skip
        body = (self.set(o["low"], start), self.set(o["high"], stop), count, bands)
        block = s.Block(tuple(v for v in self.private if v.id != self.tile.id), body, span=self.span)
        last = minus(minus(v["tiles"], ONE), v["phase"])
        number = next(v for v in self.private if v.id == self.tile.id)
        return s.ParallelLoop(
            (s.LoopIndex(self.tile, ZERO, last, ONE),), None, (number,), (), (block,), "do", directives=(TILE,),
            span=self.span,
        )  # fmt: skip

    def privately(self, body: s.Body) -> s.Body:
        """The body with the scalars that it assigns, its blocks' variables and its loops as the tile's own."""
        names = {id: copy.id for id, copy in self.copies.items()}
        for st in walk_statements(body):
            if isinstance(st, s.Block):
                names |= {v.id: f"{self.prefix}.own.{v.id}" for v in st.declarations if v.id not in names}

        def renamed(e: x.Expression) -> x.Expression:
            return dataclasses.replace(e, id=names[e.id]) if isinstance(e, x.Ref) and e.id in names else e

        def statement(st: s.Statement) -> s.Body:
            if isinstance(st, s.Block):
                own = tuple(dataclasses.replace(v, id=names[v.id]) for v in st.declarations)
                return (dataclasses.replace(st, declarations=own),)
            if isinstance(st, s.Do) and st.name:
                return (dataclasses.replace(st, name=f"{self.prefix}.own.{st.name}"),)
            return (st,)

        return map_body(map_body_expressions(body, renamed), statement)

    def window(self, st: s.Statement) -> s.Body:
        """A launch on its rows in the current band of the tile."""
        if not isinstance(st, s.ParallelLoop):
            return (st,)
        self.launch_count += 1
        v, o, index = self.v, self.own_names, st.indices[0]
        prefix = f"{self.prefix}.w{self.launch_count}"
        first, last = (
            Symbol(f"{prefix}.first_row", "first_row", INTEGER8),
            Symbol(f"{prefix}.last_row", "last_row", INTEGER8),
        )
        lo, hi = x.Ref(first.id, INTEGER8), x.Ref(last.id, INTEGER8)
        shift = times(o["launch"], self.sigma)
        narrowed = times(
            x.Paren(minus(self.sigma, times(v["phase"], integer(2 * self.rows.sigma, INTEGER8)))), o["launch"]
        )
        start = plus(o["low"], times(o["band"], v["band_rows"]))
        triangle = compare("==", v["phase"], ONE)
        inner_low = x.Binary(".or.", triangle, compare(">", self.tile, ZERO))
        inner_high = x.Binary(".or.", triangle, compare("<", self.tile, minus(v["tiles"], ONE)))
        steps: list[s.Statement] = [
            self.set(lo, eight(index.lower)),
            self.set(hi, eight(index.upper)),
            self.when(inner_low, self.set(lo, extreme("max", lo, plus(o["low"], narrowed)))),
            self.when(inner_high, self.set(hi, extreme("min", hi, minus(o["high"], narrowed)))),
            self.when(compare(">", o["band"], ZERO), self.set(lo, extreme("max", lo, minus(start, shift)))),
            self.when(compare("<", o["band"], o["bands"]),
                      self.set(hi, extreme("min", hi, minus(minus(plus(start, v["band_rows"]), shift), ONE)))),
        ]  # fmt: skip
        kind = index.ref.type.kind if isinstance(index.ref.type, Intrinsic) else 4
        rows = dataclasses.replace(index, lower=as_kind(lo, kind), upper=as_kind(hi, kind))
        launch = dataclasses.replace(
            st, indices=(rows, *st.indices[1:]), domain=st.domain or index, directives=(*st.directives, IN_TILE)
        )
        steps.append(self.when(compare("<=", lo, hi), launch))
        steps.append(self.set(o["launch"], plus(o["launch"], ONE)))
        return (s.Block((first, last), tuple(steps), span=st.span),)

    def when(self, condition: x.Expression, *body: s.Statement) -> s.If:
        return s.If((s.Branch(condition, body, self.span),), span=self.span)


def _on_host(st: s.Statement) -> s.Body:
    return (dataclasses.replace(st, directives=(*st.directives, HOST)),) if isinstance(st, s.Do) else (st,)


def _launches(body: s.Body) -> int:
    count = 0
    for st in body:
        match st:
            case s.ParallelLoop():
                count += 1
            case s.Do():
                low, high = value_of(st.lower), value_of(st.upper)
                count += _launches(st.body) * (max(0, high - low + 1) if low is not None and high is not None else 4)
            case s.If():
                count += max(_launches(b) for b in (*(branch.body for branch in st.branches), st.otherwise))
            case s.SelectCase():
                count += max(_launches(b) for b in (*(case.body for case in st.cases), st.default))
            case s.Block():
                count += _launches(st.body)
            case _:
                pass
    return count
