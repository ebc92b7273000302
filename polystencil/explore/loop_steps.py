"""Steps of a schedule on one loop, named by its source line: interchange and tile."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from polystencil.errors import UsageError
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import map_procedures, map_statement, walk_statements
from polystencil.proofs.verdicts import Refuted, Unknown, Verdict
from polystencil.remarks import Remark
from polystencil.transforms.interchange import interchanged, perfect_nest, tiled


@dataclass(frozen=True)
class LoopStep:
    """`kind` is interchange (figures: the order of levels) or tile (figures: iterations a tile)."""

    kind: str
    line: int
    figures: tuple[int, ...]


def find_loop(procedure: Procedure, line: int) -> s.Do | s.ParallelLoop:
    """The loop of a procedure whose do statement stands at a line."""
    for st in walk_statements(procedure.body):
        if isinstance(st, (s.Do, s.ParallelLoop)) and st.span.line == line:
            return st
    lines = sorted({st.span.line for st in walk_statements(procedure.body) if isinstance(st, (s.Do, s.ParallelLoop))})
    raise UsageError(f"no loop of {procedure.name} starts at line {line}", hint=f"loops start at {lines}")


def apply_loop_steps(program: Program, procedure: Procedure, steps: tuple[LoopStep, ...]) -> tuple[Program, Remark | None]:
    """The program after the steps, or the remark of the first one that is not legal."""
    for step in steps:
        table = symbol_table(program)
        here = table.procedures[procedure.id]
        loop = find_loop(here, step.line)
        new, verdict = _apply(step, loop, here, table)
        if new is None:
            return program, _remark(step, loop, here, verdict)
        program = _replaced(program, procedure.id, loop, new)
    return program, None


def _apply(
    step: LoopStep, loop: s.Do | s.ParallelLoop, procedure: Procedure, table: SymbolTable
) -> tuple[s.Statement | None, Verdict | None]:
    if isinstance(loop, s.ParallelLoop):
        if step.kind != "interchange" or sorted(step.figures) != list(range(len(loop.indices))):
            return None, Unknown("the step fits the loop", f"{step.kind} is not defined for a parallel loop like this")
        return dataclasses.replace(loop, indices=tuple(loop.indices[k] for k in step.figures)), None
    depth = len(perfect_nest(loop))
    if len(step.figures) > depth:
        return None, Unknown("the nest is deep enough", f"the perfect nest has {depth} levels, not {len(step.figures)}")
    if step.kind == "interchange":
        if sorted(step.figures) != list(range(len(step.figures))):
            return None, Unknown("the order names every level once", f"{step.figures} is no order of levels")
        return interchanged(loop, step.figures, procedure, table)
    if any(size < 1 for size in step.figures):
        return None, Unknown("tiles have iterations", "a tile size is not positive")
    return tiled(loop, step.figures, procedure, table, f"{procedure.id}.tile{step.line}")


def _remark(step: LoopStep, loop: s.Statement, procedure: Procedure, verdict: Verdict | None) -> Remark:
    if isinstance(verdict, Refuted):
        witness = verdict.witness.as_json() if verdict.witness is not None else None
        return Remark(step.kind, "refused", loop.span, procedure.name, verdict.reason, verdict.claim, witness)
    why = verdict.why if isinstance(verdict, Unknown) else "not proven"
    return Remark(step.kind, "refused", loop.span, procedure.name, why, verdict.claim if verdict else "")


def _replaced(program: Program, procedure: str, old: s.Statement, new: s.Statement) -> Program:
    def one(p: Procedure) -> Procedure:
        if p.id != procedure:
            return p
        return dataclasses.replace(p, body=_swap(p.body, old, new))

    return map_procedures(program, one)


def _swap(body: s.Body, old: s.Statement, new: s.Statement) -> s.Body:


    return tuple(
        new if st is old else map_statement(st, lambda e: e, lambda b: _swap(b, old, new)) for st in body
    )


__all__ = ["LoopStep", "apply_loop_steps", "find_loop"]
