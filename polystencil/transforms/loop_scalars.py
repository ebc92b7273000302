"""From the scalars that a loop assigns to how parallel iterations can hold them: private, reduction, or carried."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polystencil.analysis.effects import named_in_calls
from polystencil.analysis.reductions import accumulated
from polystencil.analysis.storage import has_one_name
from polystencil.ir import statements as s
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import walk_statements
from polystencil.ir.types import Intrinsic
from polystencil.polyhedral.accesses import Access, Loop, LoopModel
from polystencil.proofs.privacy import private_to
from polystencil.proofs.verdicts import Proven


@dataclass(frozen=True, eq=False)
class LoopScalars:
    """Ids of scalars that are private to an iteration, reductions with their operator, and carried ones with why."""

    private: tuple[str, ...]
    reductions: dict[str, str]
    carried: dict[str, str]


def loop_scalars(model: LoopModel, loop: Loop, body: s.Body, table: SymbolTable) -> LoopScalars:
    """Sort the scalars that are written inside `loop` of a model."""
    accesses: dict[str, list[Access]] = {}
    for a in model.accesses:
        inside = len(a.loops) > loop.position and a.loops[loop.position] is loop
        root = a.array.split("%", 1)[0]
        if inside and root in table.symbols and table.symbols[root].shape is None and a.private_depth <= loop.position:
            accesses.setdefault(root, []).append(a)
    elsewhere = named_in_calls(body, table)
    private: list[str] = []
    reductions: dict[str, str] = {}
    carried: dict[str, str] = {}
    for id, uses in accesses.items():
        written = [a for a in uses if a.is_write]
        if not written:
            continue
        record = not isinstance(table.symbols[id].type, Intrinsic)
        if record and all(a.array != id and a.may.dim(isl.dim_type.out) for a in written):
            continue  # elements of array components: `independent` judges them by path, as those of any array
        name = table.symbols[id].name
        verdict = private_to(loop, uses, name)
        operator = None if isinstance(verdict, Proven) else accumulated(body, id)
        plain = has_one_name(id, table) and id not in elsewhere
        in_parts = any(a.array != id or a.may.dim(isl.dim_type.out) for a in uses)
        if isinstance(verdict, Proven) and plain and not (in_parts and _has_indirect(table.symbols[id], table)):
            private.append(id)
        elif operator is not None and plain and _all_in_sight(uses, body):
            reductions[id] = operator
        else:
            carried[id] = verdict.reason if hasattr(verdict, "reason") else (
                f"the scalar {name} is shared storage, or a procedure called in the loop names it"
            )
    return LoopScalars(tuple(private), reductions, carried)


def _has_indirect(symbol: Symbol, table: SymbolTable) -> bool:
    """Whether a record has components that a plain copy per iteration would not hold: arrays, pointers, allocatables."""
    definition = table.types.get(getattr(symbol.type, "id", ""))
    return definition is None or any(
        c.shape is not None or {"pointer", "allocatable"} & c.attributes or not isinstance(c.type, Intrinsic)
        for c in definition.components
    )


def _all_in_sight(uses: list[Access], body: s.Body) -> bool:
    """Whether every access of the scalar stands in the loop's own statements, none in a procedure that it calls."""
    own = set()
    for st in walk_statements(body):
        spans = [st.span, *(b.span for b in st.branches)] if isinstance(st, s.If) else [st.span]
        own.update(spans)
    return all(a.span in own for a in uses)
