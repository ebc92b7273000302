"""Which arrays a parallel loop assigns whole before it reads any of them (write-discard).

Claim asked of isl: the elements written, in must form, contain the declared bounds of the array, and every read
finds what its own iteration wrote before. Worked out on the original nest, so that a split nest keeps it.
"""

from __future__ import annotations

import islpy as isl

from polystencil.analysis.storage import storage_class
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.symbols import SymbolTable
from polystencil.polyhedral.accesses import LoopModel
from polystencil.polyhedral.affine import Scope, to_affine
from polystencil.polyhedral.bounds import dimensions_of
from polystencil.polyhedral.model import build_model
from polystencil.proofs.budget import BudgetExceeded, within_budget
from polystencil.proofs.privacy import private_to
from polystencil.proofs.verdicts import Proven


def arrays_overwritten(loop: s.ParallelLoop, table: SymbolTable) -> tuple[str, ...]:
    """Ids of arrays whose old values the loop surely never needs."""
    if loop.domain is not None:
        return ()  # a window of rows is not the whole array
    owner = table.owner.get(loop.indices[0].ref.id, "")
    model = build_model((loop,), table, owner)
    written = {a.array for a in model.accesses if a.is_write and a.must.dim(isl.dim_type.out)}
    last = [l for l in model.loops if l.statement is loop][-1]
    out = []
    for id in sorted(written):
        if storage_class(id, table) != id:
            continue  # its old elements may be read under another name
        uses = [a for a in model.accesses if a.array.split("%", 1)[0] == id]
        if isinstance(private_to(last, uses, id), Proven) and _all_written(id, model, table):
            out.append(id)
    return tuple(out)


def writes_all_of(loop: s.ParallelLoop, id: str, table: SymbolTable) -> bool:
    """Whether a loop surely assigns every element of an array, which it may read as well."""
    if loop.domain is not None or storage_class(id, table) != id:
        return False
    return _all_written(id, build_model((loop,), table, table.owner.get(loop.indices[0].ref.id, "")), table)


def _all_written(id: str, model: LoopModel, table: SymbolTable) -> bool:
    writes = [a for a in model.accesses if a.is_write and a.array == id]
    symbol = table.symbols.get(id)  # the array's own bounds, not those of a dummy that stands for it
    known = dimensions_of(x.Ref(id, symbol.type, len(symbol.shape or ())), table) if symbol is not None else None
    if known is None:
        return False
    scope = Scope(model.parameters, lambda _: True)
    try:
        return within_budget(lambda: _covers(writes, known, scope))
    except BudgetExceeded:
        return False


def _covers(writes: list, known: list, scope: Scope) -> bool:  # type: ignore[type-arg]  # pairs of isl values
    rank = len(known)
    space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, rank)
    whole = isl.Set.universe(space)
    for d, pair in enumerate(known):
        low, high = (to_affine(e, scope) for e in pair)
        if low is None or high is None:
            return False
        e = isl.PwAff.var_on_domain(isl.LocalSpace.from_space(space), isl.dim_type.set, d)
        low, high = (b.add_dims(isl.dim_type.in_, rank) for b in (low, high))
        whole = whole.intersect(e.ge_set(low)).intersect(e.le_set(high))
    done = isl.Set.empty(space)
    for w in writes:
        done = done.union(w.must.range())
    return bool(whole.is_subset(done))
