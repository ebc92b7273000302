"""One producer after the other taken into a consumer, the last one first, and which of them can stay together.

    do concurrent ... f(2:n - 2) = a      f read at e:   if (2 <= e <= n - 2) a
    do concurrent ... f(1) = b      -->                  else if (e == 1) b           the later loop first
    do concurrent ... q = f(e)                           else f(e), the element in memory
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from polystencil.ir import statements as s
from polystencil.ir.symbols import SymbolTable
from polystencil.transforms.cost import Cost, fusion_cost
from polystencil.transforms.fusion_candidates import check_families
from polystencil.transforms.fusion_choice import by_value, choose, left_to_memory
from polystencil.transforms.fusion_consumer import as_consumer
from polystencil.transforms.fusion_coverage import RuntimeCheck, check_coverage
from polystencil.transforms.fusion_elements import check_record
from polystencil.transforms.fusion_paths import arrays_named, arrays_written, family, name_of
from polystencil.transforms.fusion_producer import Producer, as_producer
from polystencil.transforms.fusion_refusal import NotFused
from polystencil.transforms.fusion_renaming import Renamed, arrays_to_rename
from polystencil.transforms.fusion_rewrite import fused_body
from polystencil.transforms.time_chain import Chain, find_chain


@dataclass(frozen=True, eq=False)
class Step:
    """One producer fused into what is the consumer so far."""

    producer: Producer
    renamed: tuple[Renamed, ...]
    checks: tuple[RuntimeCheck, ...]
    cost: Cost
    chain: Chain
    claim: str
    fused: s.ParallelLoop

    @property
    def paths(self) -> frozenset[str]:
        """The intermediate arrays that the producer writes."""
        return frozenset(d.path for d in self.producer.definitions)


@dataclass(frozen=True, eq=False)
class Place:
    """Where a run of adjacent loops stands; `together` are the arrays that several of its loops produce."""

    run: tuple[s.ParallelLoop, ...]
    around: tuple[s.Statement, ...]
    together: frozenset[str]
    table: SymbolTable
    procedure: str


def produced_together(producers: tuple[s.ParallelLoop, ...]) -> frozenset[str]:
    """Arrays that at least two loops assign elements of."""
    written = [arrays_written(loop) for loop in producers]
    return frozenset(p for one in written for p in one if sum(p in other for other in written) > 1)


def take_in(
    producer_loop: s.ParallelLoop, consumer_loop: s.ParallelLoop, place: Place, steps: list[Step], number: int
) -> Step:
    """One more producer, in front of those of `steps`; NotFused where something rules it out.

    The loops around are judged as if every loop of the run could be taken in; `settled` corrects that.
    """
    table, procedure = place.table, place.procedure
    whole = as_producer(producer_loop, table, place.together)
    check_families(producer_loop, consumer_loop)
    _check_stale_reads(whole, steps)
    already = tuple(r for st in steps for r in st.renamed)
    renamed: dict[str, Renamed] = {}
    claims: list[str] = []
    checks: list[RuntimeCheck] = []
    cost = Cost(0, 0, 0)
    loop = consumer_loop
    whole_paths = frozenset(d.path for d in whole.definitions)
    for k, layer in enumerate(whole.layers()):
        consumer = as_consumer(loop, layer, table, procedure, number)
        consumer = dataclasses.replace(consumer, loop=by_value(consumer.loop, whole_paths & place.together))
        found = arrays_to_rename(layer, consumer, (*already, *renamed.values()), table)
        renamed.update((r.path, r) for r in found)
        claim, needed = check_coverage(layer, consumer, table, procedure, place.together)
        choices = choose(layer, whole, consumer, place.together, table, procedure)
        claims += [c for c in (claim, *choices.claims) if c and c not in claims]
        checks += needed
        cost = cost.plus(fusion_cost(layer, consumer, table))
        prefix = f"{procedure}.fused{number}" + (f".{k}" if k else "")
        body, symbols = fused_body(consumer.loop.body, layer, prefix, choices)
        for v in symbols:
            table.symbols[v.id] = v
            table.owner[v.id] = procedure
        loop = dataclasses.replace(consumer.loop, body=body)
    if not cost.pays:
        raise NotFused(
            f"the cost is too high: {cost.operations} operations more per element for {cost.bytes} bytes of memory "
            "traffic removed, over 64 per byte"
        )
    everything = {r.path for r in (*already, *renamed.values())}
    chain = find_chain(place.around, place.run, whole, tuple(sorted(everything)), table)
    if steps and len(chain.loops) != len(steps[0].chain.loops):
        raise NotFused("the loops around qualify for another producer of the same consumer, but not for this one")
    return Step(whole, tuple(renamed.values()), tuple(checks), cost, chain, "; ".join(claims), loop)


def _check_stale_reads(producer: Producer, steps: list[Step]) -> None:
    """A loop that reads what a later loop of the run produces reads the values of the iteration before."""
    named = {family(p) for p in arrays_named(producer.loop.body)}
    for step in steps:
        own = {family(d.path) for d in producer.definitions}
        for path in sorted(step.paths):
            if family(path) in named and family(path) not in own:
                raise NotFused(f"the producer reads {name_of(path)}, which a later loop assigns in every iteration")


def settled(steps: list[Step], place: Place) -> tuple[list[Step], list[tuple[Step, NotFused]]]:
    """The producers that can stay together, with the loops around judged for them, and why others cannot."""
    dropped: list[tuple[Step, NotFused]] = []
    while steps:
        group = place.run[len(place.run) - len(steps) - 1 :]
        try:
            return _judged_together(steps, group, place), dropped
        except NotFused as why:
            dropped.append((steps[-1], why))
            steps = steps[:-1]
    return [], dropped


def _judged_together(steps: list[Step], group: tuple[s.ParallelLoop, ...], place: Place) -> list[Step]:
    together = produced_together(group[:-1])
    for path in sorted(left_to_memory(steps[-1].fused.body, frozenset(p for st in steps for p in st.paths))):
        if path not in together:
            raise NotFused(f"coverage fails: the consumer reads elements of {name_of(path)} that no loop taken in produces")
    renamed = tuple(sorted({r.path for st in steps for r in st.renamed}))
    out: list[Step] = []
    written = {family(p) for g in group for p in arrays_written(g)}
    for step in steps:
        chain = find_chain(place.around, group, step.producer, renamed, place.table)
        if out and len(chain.loops) != len(out[0].chain.loops):
            raise NotFused("the loops around qualify for another producer of the same consumer, but not for this one")
        for r in step.renamed:
            check_record(r, chain, written)
        out.append(dataclasses.replace(step, chain=chain))
    return out
