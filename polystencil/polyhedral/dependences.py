"""From a model to its dependences: which iterations of a loop meet at an element, one of them writing it.

Memory-based (no kill analysis): a pair is kept wherever may relations meet, so that a pair that is not there is
no dependence. Levels as in Allen and Kennedy: carried by a loop when the iterations agree in the loops around it and
differ in its own index.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import islpy as isl

from polystencil.analysis.storage import storage_class
from polystencil.ir.symbols import SymbolTable
from polystencil.polyhedral.accesses import Access, Loop, LoopModel

I, O = isl.dim_type.in_, isl.dim_type.out


@dataclass(frozen=True, eq=False)
class Dependence:
    """Two accesses and the pairs of their iterations that meet. `kind`: flow, anti or output, in textual terms."""

    first: Access
    second: Access
    may: isl.Map
    must: isl.Map


def groups_inside(
    model: LoopModel, loop: Loop, table: SymbolTable, ignored: frozenset[str] = frozenset()
) -> dict[str, list[Access]]:
    """Accesses inside a loop by the class of their storage, without what is private to its iterations."""
    groups: dict[str, list[Access]] = defaultdict(list)
    for a in model.accesses:
        inside = len(a.loops) > loop.position and a.loops[loop.position] is loop
        if inside and a.array not in ignored and a.private_depth <= loop.position:
            groups[storage_class(a.array, table)].append(a)
    return {c: g for c, g in groups.items() if any(a.is_write for a in g)}


def differing(m: isl.Map, first: int, last: int) -> isl.Map:
    """The pairs of `m` that agree in the loops before `first` and differ in loops `first` to `last`."""
    for k in range(first):
        m = m.equate(I, k, O, k)
    out = isl.Map.empty(m.get_space())
    for k in range(first, last + 1):
        out = out.union(m.order_lt(I, k, O, k)).union(m.order_gt(I, k, O, k))
        m = m.equate(I, k, O, k)
    return out


def leading(m: isl.Map, count: int) -> isl.Map:
    """`m` with only the first `count` loops kept in its domain."""
    have = m.dim(I)
    return m if have <= count else m.project_out(I, count, have - count)


def _pairs(a: isl.Map, b: isl.Map) -> isl.Map:
    return a.apply_range(b.reverse())


def may_conflict(group: list[Access], first: int, last: int) -> bool:
    """Whether any two accesses of a storage class, one a write, may meet in iterations that differ."""
    count = last + 1
    if len({a.array for a in group}) > 1 or len({a.may.dim(O) for a in group}) > 1:
        return _overlapping_names(group, first, last)
    writes = _union([leading(a.may, count) for a in group if a.is_write])
    everything = _union([leading(a.may, count) for a in group])
    return not differing(_pairs(writes, everything), first, last).is_empty()


def _overlapping_names(group: list[Access], first: int, last: int) -> bool:
    """Different names that may share storage: any two iterations may meet."""
    count = last + 1
    nowhere = isl.Space.alloc(isl.DEFAULT_CONTEXT, 0, count, 0)
    del nowhere
    writes = _union([_elementless(leading(a.may, count)) for a in group if a.is_write])
    everything = _union([_elementless(leading(a.may, count)) for a in group])
    return not differing(_pairs(writes, everything), first, last).is_empty()


def _elementless(m: isl.Map) -> isl.Map:
    return m.project_out(O, 0, m.dim(O))


def _union(maps: list[isl.Map]) -> isl.Map:
    out = maps[0]
    for m in maps[1:]:
        out = out.union(m)
    return out


def conflicts(group: list[Access], first: int, last: int) -> Iterator[Dependence]:
    """The pairs of accesses of a storage class that may meet, by access."""
    names = {a.array for a in group}
    for w in group:
        if not w.is_write:
            continue
        for a in group:
            if len(names) > 1 and w.array != a.array:
                may = differing(_pairs(_elementless(w.may), _elementless(a.may)), first, last)
                must = isl.Map.empty(may.get_space())
            else:
                may = differing(_pairs(w.may, a.may), first, last)
                must = differing(_pairs(w.must, a.must), first, last)
            if not may.is_empty():
                yield Dependence(w, a, may, must)


def ordered(d: isl.Map, first: int, directions: tuple[int, ...]) -> isl.Map:
    """The pairs of `d` whose first iteration runs before the second, by the loops from `first` on.

    `directions` are those of the loops (1 ascending, -1 descending).
    """
    out = isl.Map.empty(d.get_space())
    for k, direction in enumerate(directions, start=first):
        out = out.union(d.order_lt(I, k, O, k) if direction > 0 else d.order_gt(I, k, O, k))
        d = d.equate(I, k, O, k)
    return out
