"""Bounds of a consumer that are pinned to those of its producers: the same at run time, checked by the host.

    do concurrent (i = 1:m)              f(i) = ...
    do concurrent (i = 1:size(f) - 1)    q(i) = ... f(i)     -->   do concurrent (i = 1:m), if (size(f) - 1 == m)

Where the bounds of consumer and producers are different expressions, tests of one against the other can only be
decided at run time, and no interior is free of them. Only for arrays that several loops produce, and along dimensions
in which every element is read by the iteration that has its index: there, loops of other ranges would be strange.
"""

from __future__ import annotations

import dataclasses

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import compare
from polystencil.ir.sums import constant_distance
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import walk_body_expressions
from polystencil.ir.typing import type_of
from polystencil.transforms.fusion_coverage import RuntimeCheck
from polystencil.transforms.fusion_definition import indices_at
from polystencil.transforms.fusion_paths import arrays_written, family, path_of, touched, values_in
from polystencil.transforms.fusion_producer import as_producer
from polystencil.transforms.fusion_refusal import NotFused


def pinned(
    consumer: s.ParallelLoop, producers: tuple[s.ParallelLoop, ...], together: frozenset[str], table: SymbolTable
) -> tuple[s.ParallelLoop, tuple[RuntimeCheck, ...]]:
    """The consumer with bounds of the producers where they differ in form, and the checks that they are equal."""
    candidates = _bounds_met(consumer, producers, together, table)
    written = {family(p) for loop in producers for p in arrays_written(loop)}
    indices, checks = [], []
    for i in consumer.indices:
        new = i
        for end in ("lower", "upper"):
            have = getattr(i, end)
            best = _pick([c for id, e, c in candidates if (id, e) == (i.ref.id, end)], have, end)
            if best is None or type_of(best) != type_of(have) or touched(values_in(have), written):
                continue
            new = dataclasses.replace(new, lower=best) if end == "lower" else dataclasses.replace(new, upper=best)
            text = f"the {end} bound of the consumer is that of its producers"
            checks.append(RuntimeCheck(compare("==", have, best), "bounds of the loops", text))
        indices.append(new)
    return dataclasses.replace(consumer, indices=tuple(indices)), tuple(checks)


def _bounds_met(
    consumer: s.ParallelLoop, producers: tuple[s.ParallelLoop, ...], together: frozenset[str], table: SymbolTable
) -> list[tuple[str, str, x.Expression]]:
    """(index of the consumer, which end, bound of a producer) where an index is the same as one of a producer."""
    own = {i.ref.id: i.ref for i in consumer.indices}
    reads = [e for e in walk_body_expressions(consumer.body) if isinstance(e, x.Element) and path_of(e.base) in together]
    out: list[tuple[str, str, x.Expression]] = []
    for loop in producers:
        if not arrays_written(loop) & together:
            continue
        try:
            producer = as_producer(loop, table, together)
        except NotFused:
            continue
        for d in producer.definitions:
            met = [indices_at(d, e.indices) for e in reads if path_of(e.base) == d.path]
            for theirs in loop.indices:
                for id, ref in own.items():
                    if met and all(constant_distance(at[theirs.ref.id], ref) == 0 for at in met):
                        out += [(id, "lower", theirs.lower), (id, "upper", theirs.upper)]
    return out


def _pick(candidates: list[x.Expression], have: x.Expression, end: str) -> x.Expression | None:
    """The outermost of the producers' bounds; None where the consumer's own is of the same form, or theirs are not."""
    if not candidates or any(constant_distance(c, have) is not None for c in candidates):
        return None
    best = candidates[0]
    for c in candidates[1:]:
        distance = constant_distance(c, best)
        if distance is None:
            return None
        if distance > 0 if end == "upper" else distance < 0:
            best = c
    return best

