"""Around a skewed time loop: what the host decides before it, the original loop otherwise, and what both forms share.

do t = 1, n                     skewed = the loop runs, arrays are allocated, bounds fit, their bytes exceed the cache
  ...                     -->   if (skewed) then
end do                            ... bands of rows (skew_bands) or tiles of rows (skew_tiles)
                                else
                                  the loop as it was
"""

from __future__ import annotations

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
from polystencil.ir.traversal import walk_expression
from polystencil.ir.types import INTEGER, INTEGER8, LOGICAL, Intrinsic
from polystencil.ir.typing import rank_of
from polystencil.transforms.fusion_copies import is_allocatable
from polystencil.transforms.skew_body import NotSkewed, TimeLoop
from polystencil.transforms.skew_rows import RowArray, Rows

CACHE_SHARE = (3, 4)  # of the cache that a band may fill


def eight(e: x.Expression) -> x.Expression:
    """An integer expression in 64 bits."""
    return as_kind(e, 8)


def grouped(e: x.Expression) -> x.Expression:
    """`e` in parentheses where it is an operation."""
    return x.Paren(e) if isinstance(e, x.Binary) else e


def extreme(name: str, *parts: x.Expression) -> x.Expression:
    """min or max in 64 bits."""
    return x.IntrinsicCall(name, parts, INTEGER8)


class Placement:
    """What bands and tiles share: variables, the decision before the loop, figures of a row."""

    names: tuple[str, ...] = ()

    def __init__(self, loop: TimeLoop, rows: Rows, cache: int, table: SymbolTable, prefix: str) -> None:
        self.loop, self.rows, self.table, self.prefix = loop, rows, table, prefix
        self.cache = cache
        self.least = cache  # bytes that the arrays must exceed
        self.span = loop.nest[0].span
        self.symbols: list[Symbol] = []
        self.launch_count = 0
        first = next(i for i in loop.launches)
        self.first = first
        self.check_first(first)
        self.v = {n: self.variable(n) for n in self.names}
        self.use = self.variable("skewed", LOGICAL)
        self.inner_counts = [self.variable(f"count{k + 1}") for k in range(len(loop.nest))]
        replayed = [r for r in loop.assigned if first_use(loop.body, r.id) == "read"]
        self.saved = [(r, self.variable(f"{r.id.rsplit('.', 1)[-1]}_saved", r.type)) for r in replayed]

    def sweep(self) -> tuple[s.Statement, ...]:
        """The statements that run the loop skewed."""
        raise NotImplementedError

    def chosen(self) -> s.Body:
        """What is set once the loop is to be skewed."""
        raise NotImplementedError

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
                    raise NotSkewed(
                        "the bounds of the first launched loop can fail, and it does not run in every iteration"
                    )

    def attributes(self, id: str) -> frozenset[str]:
        symbol = self.table.symbols.get(id)
        return frozenset() if symbol is None else symbol.attributes

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
            extent = extreme("max", plus(minus(eight(loop.upper), grouped(eight(loop.lower))), integer(1, INTEGER8)),
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
        return eight(x.IntrinsicCall("size", (a.array,), INTEGER))

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
                extent = eight(x.IntrinsicCall("size", (a.array, integer(a.row + 1)), INTEGER))
                line = divided(size, extreme("max", extent, integer(1, INTEGER8)))
                per_row = plus(per_row, integer(a.bytes, INTEGER8) if rank_of(a.array) == 1 else grouped(line))
        exceeds = compare(">", v["bytes"], integer(self.least, INTEGER8))
        return (
            self.set(v["bytes"], total),
            self.set(v["flat"], flat),
            self.set(v["per_row"], per_row),
            s.If((s.Branch(exceeds, (self.set(self.use, TRUE), *self.chosen()), self.span),), span=self.span),
        )

    def rows_that_fit(self) -> x.Expression:
        """Rows of all arrays that fill the share of the cache."""
        part = integer(self.cache * CACHE_SHARE[0] // CACHE_SHARE[1], INTEGER8)
        return divided(x.Paren(minus(part, self.v["flat"])), extreme("max", self.v["per_row"], integer(1, INTEGER8)))

    def indices_from_t(self) -> tuple[s.Statement, ...]:
        """The do variables of the nest in iteration t."""
        return self.indices_at(self.v["t"])

    def indices_at(self, iteration: x.Ref) -> tuple[s.Statement, ...]:
        """The do variables of the nest in an iteration, counted from 0."""
        out = []
        rest: x.Expression = iteration
        for k, loop in reversed(list(enumerate(self.loop.nest))):
            kind = loop.index.type.kind if isinstance(loop.index.type, Intrinsic) else 4
            position = rest if k == 0 else x.IntrinsicCall("mod", (rest, self.inner_counts[k]), INTEGER8)
            out.append(self.set(loop.index, as_kind(plus(eight(loop.lower), position), kind)))
            if k:
                rest = divided(grouped(rest), self.inner_counts[k])
        return tuple(out)

    def after(self) -> tuple[s.Statement, ...]:
        """The do variables as the original nest leaves them: one step past the end."""
        return tuple(self.set(loop.index, plus(loop.upper, integer(1, loop.index.type))) for loop in self.loop.nest)

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
