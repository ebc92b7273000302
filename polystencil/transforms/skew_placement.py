"""From a time loop, its rows and sigma to the host code that runs it band by band, or as it was."""

from __future__ import annotations

import dataclasses

from polystencil.analysis.call_values import usual_actuals, usual_extents, usual_values
from polystencil.analysis.liveness import first_use
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import (
    FALSE,
    TRUE,
    all_of,
    as_kind,
    compare,
    divided,
    integer,
    minus,
    plus,
    times,
    value_of,
)
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_body, map_expression, walk_expression
from polystencil.ir.types import INTEGER, INTEGER8, LOGICAL, Intrinsic
from polystencil.ir.typing import rank_of
from polystencil.options import Options
from polystencil.polyhedral.affine import Scope, to_affine
from polystencil.polyhedral.bounds import dimensions_of
from polystencil.polyhedral.parameters import Parameters, constant_value
from polystencil.transforms.fusion_copies import is_allocatable
from polystencil.transforms.jam import DEFAULT_CACHE
from polystencil.transforms.skew_body import NotSkewed, TimeLoop
from polystencil.transforms.skew_rows import RowArray, Rows

LEAST_ROWS, LEAST_STEPS, MOST_STEPS = 8, 2, 32
CACHE_SHARE = (3, 4)  # of the cache that a band may fill


def place_bands(
    loop: TimeLoop, rows: Rows, options: Options, table: SymbolTable, prefix: str
) -> tuple[s.Statement, dict[str, object], str]:
    """The statement in the loop's place, the figures for the remark, and what the host checks besides the cost."""
    placement = _Bands(loop, rows, options, table, prefix)
    new = placement.statement()
    return new, placement.details(), placement.checks_text()


def _eight(e: x.Expression) -> x.Expression:
    return as_kind(e, 8)


def _group(e: x.Expression) -> x.Expression:
    return x.Paren(e) if isinstance(e, x.Binary) else e


def _extreme(name: str, *parts: x.Expression) -> x.Expression:
    return x.IntrinsicCall(name, parts, INTEGER8)


class _Bands:
    def __init__(self, loop: TimeLoop, rows: Rows, options: Options, table: SymbolTable, prefix: str) -> None:
        self.loop, self.rows, self.table, self.prefix = loop, rows, table, prefix
        self.cache = DEFAULT_CACHE if options.cache_bytes is None else options.cache_bytes
        self.span = loop.nest[0].span
        self.symbols: list[Symbol] = []
        self.launch_count = 0
        first = next(i for i in loop.launches)
        self.first = first
        self.check_first(first)
        names = ("count", "t0", "t", "band", "bands", "base", "height", "steps", "bytes", "flat", "per_row", "launch")
        self.v = {n: self.variable(n) for n in names}
        self.use = self.variable("skewed", LOGICAL)
        self.inner_counts = [self.variable(f"count{k + 1}") for k in range(len(loop.nest))]
        replayed = [r for r in loop.assigned if first_use(loop.body, r.id) == "read"]
        self.saved = [(r, self.variable(f"{r.id.rsplit('.', 1)[-1]}_saved", r.type)) for r in replayed]

    def variable(self, name: str, kind: Intrinsic | object = INTEGER8) -> x.Ref:
        symbol = Symbol(f"{self.prefix}.{name}", name, kind, span=self.span)  # type: ignore[arg-type]  # an intrinsic type
        self.symbols.append(symbol)
        return x.Ref(symbol.id, symbol.type)

    def check_first(self, first: s.ParallelLoop) -> None:
        """The bounds where bands start are evaluated before the loop: only when its first launch always runs, or when
        they are arithmetic that cannot fail."""
        always = _runs_always(self.loop.body, first)
        for e in (first.indices[0].lower, first.indices[0].upper):
            for n in walk_expression(e):
                if isinstance(n, x.Ref) and "optional" in self.attributes(n.id):
                    raise NotSkewed("a bound of the first launched loop is an optional argument")
                if not always and isinstance(n, x.Binary) and n.operator in ("/", "**"):
                    raise NotSkewed(
                        "the bounds of the first launched loop can fail (a division), and it does not run in every iteration"
                    )
                if not always and isinstance(n, x.Ref) and {"allocatable", "pointer"} & self.attributes(n.id):
                    if rank_of(n) == 0:
                        raise NotSkewed("a bound of the first launched loop is an allocatable or pointer")
                if isinstance(n, x.IntrinsicCall) and not always and n.name in ("mod", "modulo"):
                    raise NotSkewed("the bounds of the first launched loop can fail, and it does not run in every iteration")

    def attributes(self, id: str) -> frozenset[str]:
        symbol = self.table.symbols.get(id)
        return frozenset() if symbol is None else symbol.attributes

    # -- the pieces --------------------------------------------------------------------------------------------

    def statement(self) -> s.Statement:
        original = self.loop.nest[0]
        decide = self.decide()
        skewed = (*self.sweep(), *self.after())
        taken = s.Choice("skew", (self.span.line,))
        choice = s.If((s.Branch(self.use, tuple(skewed), self.span),), (original,), taken, span=self.span)
        return s.Block(tuple(self.symbols), (*decide, choice), span=self.span)

    def set(self, target: x.Ref, value: x.Expression) -> s.Assign:
        return s.Assign(target, value, span=self.span)

    def decide(self) -> tuple[s.Statement, ...]:
        """skewed = the loop runs, arrays are allocated, lower bounds are 1, and the bytes exceed the cache."""
        v = self.v
        count: list[s.Statement] = [self.set(self.use, FALSE)]
        inner = self.cost()
        checks = [compare("==", x.IntrinsicCall("lbound", (a, integer(d)), INTEGER), integer(1))
                  for a, d in self.rows.lower_bounds]  # fmt: skip
        checks += self.rows.conditions
        if checks:
            inner = (s.If((s.Branch(all_of(*checks), inner, self.span),), span=self.span),)
        allocated = [
            x.IntrinsicCall("allocated", (a.array,), LOGICAL) for a in self.rows.arrays if self.is_allocatable(a.array)
        ]
        if allocated:
            inner = (s.If((s.Branch(all_of(*allocated), inner, self.span),), span=self.span),)
        body: tuple[s.Statement, ...] = (
            s.If((s.Branch(compare(">", v["count"], integer(0, INTEGER8)), inner, self.span),), span=self.span),
        )
        for k, loop in reversed(list(enumerate(self.loop.nest))):
            extent = _extreme("max", plus(minus(_eight(loop.upper), _group(_eight(loop.lower))), integer(1, INTEGER8)),
                              integer(0, INTEGER8))  # fmt: skip
            own = self.set(self.inner_counts[k], extent)
            if k == len(self.loop.nest) - 1:
                total = self.inner_counts[0]
                out: x.Expression = total
                for c in self.inner_counts[1:]:
                    out = times(out, c)
                body = (own, self.set(v["count"], out), *body)
            else:
                runs = compare(">", self.inner_counts[k], integer(0, INTEGER8))
                body = (own, s.If((s.Branch(runs, body, self.span),), span=self.span))
        return (*count, *body)

    def is_allocatable(self, e: x.Expression) -> bool:
        if isinstance(e, x.Ref):
            return "allocatable" in self.attributes(e.id)
        return is_allocatable(e, self.table)

    def size(self, a: RowArray) -> x.Expression:
        return _eight(x.IntrinsicCall("size", (a.array,), INTEGER))

    def cost(self) -> s.Body:
        v = self.v
        total: x.Expression = integer(0, INTEGER8)
        flat: x.Expression = integer(0, INTEGER8)
        per_row: x.Expression = integer(0, INTEGER8)
        for a in self.rows.arrays:
            if not a.counts:
                continue
            size = times(self.size(a), integer(a.bytes, INTEGER8))
            total = plus(total, size)
            if a.row is None:
                flat = plus(flat, size)
            else:
                extent = _eight(x.IntrinsicCall("size", (a.array, integer(a.row + 1)), INTEGER))
                line = divided(size, _extreme("max", extent, integer(1, INTEGER8)))
                per_row = plus(per_row, integer(a.bytes, INTEGER8) if rank_of(a.array) == 1 else _group(line))
        exceeds = compare(">", v["bytes"], integer(self.cache, INTEGER8))
        index = self.first.indices[0]
        part = integer(self.cache * CACHE_SHARE[0] // CACHE_SHARE[1], INTEGER8)
        height = divided(x.Paren(minus(part, v["flat"])), _extreme("max", v["per_row"], integer(1, INTEGER8)))
        per_iteration = self.launches_per_iteration()
        steps = divided(v["height"], integer(2 * self.rows.sigma, INTEGER8))
        limited = _extreme("max", _extreme("min", steps, integer(MOST_STEPS, INTEGER8)), integer(LEAST_STEPS, INTEGER8))
        if per_iteration > 1:
            limited = _extreme("max", divided(limited, integer(per_iteration, INTEGER8)), integer(1, INTEGER8))
        chosen: s.Body = (
            self.set(self.use, TRUE),
            self.set(v["base"], _eight(index.lower)),
            self.set(v["height"], _extreme("max", height, integer(LEAST_ROWS, INTEGER8))),
            self.set(v["steps"], limited),
            self.set(v["bands"], _extreme("max", divided(x.Paren(minus(_eight(index.upper), v["base"])), v["height"]),
                                          integer(0, INTEGER8))),
        )  # fmt: skip
        return (
            self.set(v["bytes"], total),
            self.set(v["flat"], flat),
            self.set(v["per_row"], per_row),
            s.If((s.Branch(exceeds, chosen, self.span),), span=self.span),
        )

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
            v["t"], v["t0"], minus(_extreme("min", plus(v["t0"], v["steps"]), v["count"]), one), one,
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

    def indices_from_t(self) -> tuple[s.Statement, ...]:
        out = []
        rest: x.Expression = self.v["t"]
        for k, loop in reversed(list(enumerate(self.loop.nest))):
            kind = loop.index.type.kind if isinstance(loop.index.type, Intrinsic) else 4
            position = rest if k == 0 else x.IntrinsicCall("mod", (rest, self.inner_counts[k]), INTEGER8)
            out.append(self.set(loop.index, as_kind(plus(_eight(loop.lower), position), kind)))
            if k:
                rest = divided(_group(rest), self.inner_counts[k])
        return tuple(out)

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
        first, last = _eight(index.lower), _eight(index.upper)
        lower = s.If(
            (s.Branch(compare(">", v["band"], integer(0, INTEGER8)), (self.set(lo, _extreme("max", first, start)),), self.span),),
            (self.set(lo, first),), span=self.span,
        )  # fmt: skip
        end = minus(plus(start, v["height"]), integer(1, INTEGER8))
        upper = s.If(
            (s.Branch(compare("<", v["band"], v["bands"]), (self.set(hi, _extreme("min", last, end)),), self.span),),
            (self.set(hi, last),), span=self.span,
        )  # fmt: skip
        kind = index.ref.type.kind if isinstance(index.ref.type, Intrinsic) else 4
        own = dataclasses.replace(index, lower=as_kind(lo, kind), upper=as_kind(hi, kind))
        launch = dataclasses.replace(st, indices=(own, *st.indices[1:]), domain=st.domain or index)
        runs = s.If((s.Branch(compare("<=", lo, hi), (launch,), self.span),), span=self.span)
        count = self.set(v["launch"], plus(v["launch"], integer(1, INTEGER8)))
        return (s.Block((low, high), (lower, upper, runs, count), span=st.span),)

    def after(self) -> tuple[s.Statement, ...]:
        """The do variables as the original nest leaves them: one step past the end."""
        return tuple(self.set(loop.index, plus(loop.upper, integer(1, loop.index.type))) for loop in self.loop.nest)

    # -- for the remark ----------------------------------------------------------------------------------------

    def details(self) -> dict[str, object]:
        """sigma, and rows and iterations of a band where all calls in the program pass the same sizes."""
        out: dict[str, object] = {"sigma": self.rows.sigma, "cache_bytes": self.cache}
        total, flat, per_row = 0, 0, 0
        for a in self.rows.arrays:
            if not a.counts:
                continue
            extents = self.extents(a.array)
            if extents is None:
                return out
            size = a.bytes
            for e in extents:
                size *= e
            total += size
            if a.row is None:
                flat += size
            else:
                per_row += size // max(1, extents[a.row])
        height = max(LEAST_ROWS, (self.cache * CACHE_SHARE[0] // CACHE_SHARE[1] - flat) // max(1, per_row))
        steps = max(LEAST_STEPS, min(MOST_STEPS, height // (2 * self.rows.sigma)))
        out["array_bytes"] = total
        out["params"] = {"sigma": self.rows.sigma, "R": height, "s": steps}
        out["runtime_choice"] = "transformed" if total > self.cache else "original"
        return out

    def extents(self, array: x.Expression) -> list[int] | None:
        known = dimensions_of(array, self.table)
        usual = usual_actuals(self.table)
        while known is None and isinstance(array, x.Ref) and array.id in usual:
            array = usual.pop(array.id)
            known = dimensions_of(array, self.table)
        if known is None:
            return usual_extents(array, self.table) if isinstance(array, x.Ref) else None
        out = []
        for low, high in known:
            value = self.usual(plus(minus(high, low), integer(1)))
            if value is None:
                return None
            out.append(max(0, value))
        return out

    def usual(self, e: x.Expression) -> int | None:
        usual = usual_values(self.table)

        def known(n: x.Expression) -> x.Expression:
            return integer(usual[n.id], n.type) if isinstance(n, x.Ref) and n.id in usual else n

        f = to_affine(map_expression(e, known), Scope(Parameters(), lambda _: False))
        return None if f is None else constant_value(f.coalesce())

    def checks_text(self) -> str:
        """What the host checks besides the cost."""
        parts = []
        if any(self.is_allocatable(a.array) for a in self.rows.arrays):
            parts.append("the arrays are allocated")
        if self.rows.lower_bounds:
            parts.append("each lower bound that inlining shifts by is 1")
        if self.rows.conditions:
            parts.append("arguments have the shapes of their dummies")
        return " and ".join(parts)


def _runs_always(body: s.Body, launch: s.ParallelLoop) -> bool:
    """Whether a launch is reached in every iteration."""
    for st in body:
        if st is launch:
            return True
        if isinstance(st, s.Block) and _runs_always(st.body, launch):
            return True
        if isinstance(st, s.Do) and _runs_always(st.body, launch):
            low, high = value_of(st.lower), value_of(st.upper)
            return low is not None and high is not None and low <= high
    return False
