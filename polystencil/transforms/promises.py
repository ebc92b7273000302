"""race and bounds: what a Fortran compiler takes on trust. Nothing is rewritten here; only remarks come out.

    do concurrent (i = 1:n)        -->   race: refused, iteration (1) writes a(1) and iteration (2) reads it
      a(i) = a(i - 1)
    end do
"""

from __future__ import annotations

from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import nested_bodies, procedures_of
from polystencil.polyhedral.accesses import Access, Loop, LoopModel
from polystencil.polyhedral.affine import Scope
from polystencil.polyhedral.model import build_model
from polystencil.proofs.independence import independent
from polystencil.proofs.inside_bounds import Outside, inside
from polystencil.proofs.privacy import private_to
from polystencil.proofs.verdicts import Proven, Refuted, Unknown, Verdict
from polystencil.remarks import Remark


def broken_promises(program: Program, table: SymbolTable) -> tuple[Remark, ...]:
    """A race remark for every do concurrent and a bounds remark for every loop nest."""
    remarks: list[Remark] = []
    for procedure in procedures_of(program):
        _walk(procedure.body, procedure, table, remarks)
    return tuple(remarks)


def _walk(body: s.Body, procedure: Procedure, table: SymbolTable, remarks: list[Remark]) -> None:
    for st in body:
        if isinstance(st, (s.ParallelLoop, s.Do)) and not _holds_launches(st):
            model = build_model((st,), table, procedure.id)
            if isinstance(st, s.ParallelLoop):
                remarks.append(_race(st, model, procedure, table))
            remarks.extend(_bounds(st, model, procedure, table))
            continue
        for inner in nested_bodies(st):
            _walk(inner, procedure, table, remarks)


def _holds_launches(st: s.Statement) -> bool:
    """Whether parallel loops stand inside a host loop, which then are looked at one by one."""
    from polystencil.ir.traversal import walk_statements

    if isinstance(st, s.ParallelLoop):
        return False
    host = (s.ParallelLoop, s.Write, s.Read, s.Allocate, s.Deallocate, s.FileStatement)
    return any(isinstance(i, host) for i in walk_statements((st,)))


def _race(st: s.ParallelLoop, model: LoopModel, procedure: Procedure, table: SymbolTable) -> Remark:
    loops = tuple(l for l in model.loops if l.statement is st)
    ignored = _private(st, model, loops, table)
    verdict = independent(model, loops, table, ignored)
    if isinstance(verdict, Refuted):
        witness = verdict.witness.as_json() if verdict.witness else None
        reason = f"the do concurrent is invalid, its iterations conflict (a race): {verdict.reason}"
        return Remark("race", "refused", st.span, procedure.name, reason, verdict.claim, witness)
    if isinstance(verdict, Proven):
        return Remark("race", "applied", st.span, procedure.name, "no two iterations conflict", verdict.claim)
    return Remark("race", "not-applicable", st.span, procedure.name, f"not decided: {_why(verdict)}", verdict.claim)


def _why(verdict: Verdict) -> str:
    return verdict.why if isinstance(verdict, Unknown) else ""


def _private(st: s.ParallelLoop, model: LoopModel, loops: tuple[Loop, ...], table: SymbolTable) -> frozenset[str]:
    """Scalars without a locality clause that every iteration writes first, and reductions."""
    out = {r.ref.id for r in st.reductions} | {v.id for v in st.locals} | {i.ref.id for i in st.indices}
    uses: dict[str, list[Access]] = {}
    for a in model.accesses:
        root = a.array.split("%", 1)[0]
        if root in table.symbols and table.symbols[root].shape is None and len(a.loops) >= len(loops):
            uses.setdefault(root, []).append(a)
    for id, accesses in uses.items():
        written = any(a.is_write for a in accesses)
        if written and isinstance(private_to(loops[-1], accesses, id), Proven):
            out.add(id)
    return frozenset(out)


def _bounds(st: s.Statement, model: LoopModel, procedure: Procedure, table: SymbolTable) -> list[Remark]:
    scope = Scope(model.parameters, lambda _: True)
    doubts = 0
    for a in model.accesses:
        if a.array not in table.symbols or table.symbols[a.array].shape is None:
            continue
        verdict, outside = inside(a, table, scope)
        if isinstance(verdict, Refuted) and outside is not None:
            details: dict[str, object] = {"access_line": a.span.line}
            if outside.always and not model.obstacles:  # a call might end the program before
                details["stops"] = _message(outside)
            return [
                Remark("bounds", "refused", st.span, procedure.name, verdict.reason, verdict.claim,
                       _witness(outside), None, details)
            ]  # fmt: skip
        doubts += not isinstance(verdict, Proven)
    claim = "every access lies within its array"
    if doubts:
        return [Remark("bounds", "not-applicable", st.span, procedure.name, "not decided for all accesses", claim)]
    return [Remark("bounds", "applied", st.span, procedure.name, "every access lies within its array", claim)]


def _message(o: Outside) -> str:
    """What a run-time library says of such an access."""
    low, high = o.bounds
    side = f"above upper bound of {high}" if o.index > high else f"below lower bound of {low}"
    return f"Index '{o.index}' of dimension {o.dimension} of array '{o.witness.array}' {side}"


def _witness(o: Outside) -> dict[str, object]:
    return {
        "iteration": o.iteration, "array": o.witness.array, "dimension": o.dimension, "index": o.index,
        "bounds": list(o.bounds), "lines": [o.span.line], "parameters": dict(o.witness.parameters),
    }  # fmt: skip
