"""swap: when the copy of a renamed array may take turns with the array, so that nothing is copied back.

    q -> q_copy, q_copy -> q, q -> q_copy, ...     a flag tells which of the two holds the values

Valid when the copy starts equal to the array, the consumer writes the same elements in every execution, and no other
statement of the innermost loop touches the array. Statements further out that touch it find the values in the array
itself: what the latest execution left in the copy is copied back before them.
"""

from __future__ import annotations

from polystencil.analysis.definitions import defined_in
from polystencil.analysis.effects import effects_of
from polystencil.ir import statements as s
from polystencil.ir.symbols import SymbolTable
from polystencil.transforms.fusion_elements import chosen_record
from polystencil.transforms.fusion_paths import arrays_written, family, root_of, shapes_in, touched, values_in
from polystencil.transforms.fusion_renaming import Renamed
from polystencil.transforms.time_chain import Chain, other_name, statements_besides


class NotSwapped(Exception):
    """The copy is copied back after every fused loop; the message says why."""


def check_swap(
    chain: Chain, group: tuple[s.ParallelLoop, ...], renamed: tuple[Renamed, ...], consumer: s.ParallelLoop,
    table: SymbolTable,
) -> None:  # fmt: skip
    """NotSwapped where the copy cannot take turns with the array."""
    innermost = chain.loops[0]
    rest = statements_besides(innermost.body, (*group, *_blocks_around(innermost.body, group)))
    effects = effects_of(rest, table)
    for r in renamed:
        root = root_of(r.path)
        if root in effects.reads | effects.defines:
            raise NotSwapped(f"another statement of the loop reads or writes {root.rsplit('.', 1)[-1]}")
    if len({chosen_record(r, chain) for r in renamed}) > 1:
        raise NotSwapped("the renamed arrays are components of different records, so that one flag does not do for them")
    bounds = [e for i in (*consumer.indices, *group[-1].indices) for e in (i.lower, i.upper)]
    reads, shapes = {v for e in bounds for v in values_in(e)}, {v for e in bounds for v in shapes_in(e)}
    variables = {loop.index.id for loop in chain.loops}
    if reads & variables:
        raise NotSwapped(
            "the consumer's bounds read the loop variable, so it does not write the same elements in every execution"
        )
    changed = touched(reads, chain.others.defines | {family(p) for g in group for p in arrays_written(g)})
    changed += sorted(shapes & chain.others.defines)
    if changed:
        raise NotSwapped(
            f"the consumer's bounds read {sorted(changed)[0].rsplit('.', 1)[-1]}, a variable assigned in the loop: it does "
            "not write the same elements in every execution"
        )
    reshaped = sorted(shapes & defined_in(chain.loops[-1].body, table).reshaped)
    if reshaped:
        raise NotSwapped(f"the bounds of {reshaped[0].rsplit('.', 1)[-1]}, which the consumer's bounds read, may change in the loop")
    for id in sorted(reads | shapes):
        why = other_name(id, table)
        if why:
            raise NotSwapped(f"the consumer's bounds may change in the loop: {why}")


def _blocks_around(body: s.Body, group: tuple[s.ParallelLoop, ...]) -> tuple[s.Block, ...]:
    """The unnamed blocks of a body that hold the group, at any depth."""
    for st in body:
        if isinstance(st, s.Block) and not st.name:
            if any(i is g for i in st.body for g in group):
                return (st,)
            inner = _blocks_around(st.body, group)
            if inner:
                return (st, *inner)
    return ()
