"""Which parallel loops may be producers and consumers of each other, before anything is proven."""

from __future__ import annotations

from itertools import pairwise

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.traversal import nested_bodies, procedures_of, walk_body_expressions
from polystencil.remarks import Remark
from polystencil.transforms.fusion_paths import arrays_named, arrays_written, family, path_of
from polystencil.transforms.fusion_refusal import NotFused


def adjacent_runs(body: s.Body) -> list[tuple[s.ParallelLoop, ...]]:
    """Maximal runs of at least two adjacent parallel loops."""
    runs: list[list[s.ParallelLoop]] = [[]]
    for st in body:
        if isinstance(st, s.ParallelLoop):
            runs[-1].append(st)
        elif not isinstance(st, s.Continue):
            runs.append([])
    return [tuple(r) for r in runs if len(r) > 1]


def related(producer: s.ParallelLoop, consumer: s.ParallelLoop) -> bool:
    """Whether a loop reads an array that the other assigns."""
    written = {family(p) for p in arrays_written(producer)}
    return bool(written & {family(p) for p in arrays_named((consumer,))}) and "array" not in (producer.origin, consumer.origin)


def check_families(producer: s.ParallelLoop, consumer: s.ParallelLoop) -> None:
    """Two designators that differ only in subscripts on the way to a component may be one array."""
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
            if related(a, b):
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
