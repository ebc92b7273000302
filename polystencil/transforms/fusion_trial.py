"""What fuse would make of given loops, without doing it: its remarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polystencil.ir import statements as s
from polystencil.ir.program import Program
from polystencil.ir.symbols import symbol_table
from polystencil.ir.traversal import nested_bodies
from polystencil.options import Options
from polystencil.remarks import Remark
from polystencil.transforms.fuse import FusionWork

Around = tuple[s.Statement, ...]


def fusions_of(loops: Sequence[s.ParallelLoop], program: Program, procedure: str, options: Options) -> tuple[Remark, ...]:
    """Fuse's remarks on runs of adjacent loops among `loops`, statements of a procedure of the program."""
    table = symbol_table(program)
    here = table.procedures[procedure]
    remarks: list[Remark] = []
    work = FusionWork(here, table, options, remarks)
    wanted = {id(i) for i in loops}
    for run, around in _runs(here.body, (), wanted):
        left = run
        while len(left) > 1:
            before = len(remarks)
            if work.group(left, around, here.body) is None:
                break
            used = {s for r in remarks[before:] if r.status in ("applied", "runtime-checked") for s in (r.span, r.with_span)}
            first = next((k for k, i in enumerate(left) if i.span in used), 0)
            left = left[:first]  # what stands after it was tried before it
    for body in _bodies(here.body, wanted):
        work.apart(body)
    return tuple(remarks)


def _bodies(body: s.Body, wanted: set[int]) -> Iterator[s.Body]:
    """The statement lists that hold a wanted loop."""
    if any(id(st) in wanted for st in body):
        yield body
    for st in body:
        if not isinstance(st, s.ParallelLoop):
            for inner in nested_bodies(st):
                yield from _bodies(inner, wanted)


def _runs(body: s.Body, around: Around, wanted: set[int]) -> list[tuple[tuple[s.ParallelLoop, ...], Around]]:
    """Runs of adjacent loops of which one is wanted, with the statements around them, innermost first."""
    out: list[tuple[tuple[s.ParallelLoop, ...], Around]] = []
    run: list[s.ParallelLoop] = []
    for st in (*body, s.Exit("")):
        if isinstance(st, s.ParallelLoop):
            run.append(st)
            continue
        if isinstance(st, s.Continue):
            continue
        if len(run) > 1 and any(id(i) in wanted for i in run):
            out.append((tuple(run), around))
        run = []
        for inner in nested_bodies(st):
            out += _runs(inner, (st, *around), wanted)
    return out
