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

from polystencil.analysis.storage import POINTED, is_chosen_pointer, root_class, storage_class
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
        mine = a.private_depth > loop.position or a.array.split("%", 1)[0] in ignored
        if inside and not mine:
            groups[root_class(a.array, table)].append(a)
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


def may_conflict(group: list[Access], first: int, last: int, table: SymbolTable) -> bool:
    """Whether any two accesses of a storage class, one a write, may meet in iterations that differ."""
    count = last + 1
    paths: dict[str, list[Access]] = defaultdict(list)
    for a in group:
        paths[a.array].append(a)
    for p, some in paths.items():
        writes = [leading(a.may, count) for a in some if a.is_write]
        if not writes:
            continue
        for q, others in paths.items():
            share = shared_dimensions(p, q, table)
            if share is None:
                continue
            reached = [leading(a.may, count) for a in others]
            share = min(share, *(m.dim(O) for m in (*writes, *reached)))
            meet = _pairs(_union([_cut(m, share) for m in writes]), _union([_cut(m, share) for m in reached]))
            if not differing(meet, first, last).is_empty():
                return True
    return False


EVERYWHERE, WHOLE = 0, 99  # subscripts that must agree: none (other names of the storage), all that both have


def shared_dimensions(p: str, q: str, table: SymbolTable) -> int | None:
    """On how many equal leading subscripts elements of two paths of one class are the same storage; None: never.

    `a` holds `a%x`, and element i of one holds element i of the other: they meet on the subscripts that both have.
    """
    if p == q:
        root = table.symbols.get(p.split("%", 1)[0])
        rank = len(root.shape or ()) if root is not None else 1
        return EVERYWHERE if is_chosen_pointer(p, rank, table) else WHOLE
    kind = storage_class(p, table)
    if kind == POINTED or kind.startswith("block ") or storage_class(q, table) == POINTED:
        return EVERYWHERE
    if q.startswith(p + "%") or p.startswith(q + "%"):
        return WHOLE
    return None if p.split("%", 1)[0] == q.split("%", 1)[0] else EVERYWHERE


def _cut(m: isl.Map, share: int) -> isl.Map:
    have = m.dim(O)
    return m if have <= share else m.project_out(O, share, have - share)


def _union(maps: list[isl.Map]) -> isl.Map:
    out = maps[0]
    for m in maps[1:]:
        out = out.union(m)
    return out


def conflicts(group: list[Access], first: int, last: int, table: SymbolTable) -> Iterator[Dependence]:
    """The pairs of accesses of a storage class that may meet, by access."""
    for w in group:
        if not w.is_write:
            continue
        for a in group:
            share = shared_dimensions(w.array, a.array, table)
            if share is None:
                continue
            common = min(share, w.may.dim(O), a.may.dim(O))
            may = differing(_pairs(_cut(w.may, common), _cut(a.may, common)), first, last)
            must = differing(_pairs(_cut(w.must, common), _cut(a.must, common)), first, last)
            if share == EVERYWHERE:  # they need not be one element
                must = isl.Map.empty(may.get_space())
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
