"""Claim: a nest of loops may run with its levels in another order (interchange), or in tiles.

Needs: the may dependences of the nest, over all of its levels; the direction of every loop.
Proof: let (s, t) be a pair of iterations that touch one element, one of them writing it, with s before t in the order
of the program (lexicographic in the loop values times the loops' directions). The permuted order is legal when no such
pair has t before s in the lexicographic order of the permuted levels. Rectangular tiles over levels a..b are legal when
the band is fully permutable: for pairs that agree in the levels around, no level of the band runs backwards from s to
t. Both sets are built by isl from may relations and must be empty.
"""

from __future__ import annotations

import islpy as isl

from polystencil.ir.symbols import SymbolTable
from polystencil.polyhedral.accesses import Access, Loop, LoopModel
from polystencil.polyhedral.dependences import groups_inside
from polystencil.proofs.budget import BudgetExceeded, within_budget
from polystencil.proofs.samples import sample_pair
from polystencil.proofs.verdicts import Proven, Refuted, Unknown, Verdict, Witness

I, O = isl.dim_type.in_, isl.dim_type.out


def may_permute(
    model: LoopModel, loops: tuple[Loop, ...], order: tuple[int, ...], table: SymbolTable, ignored: frozenset[str]
) -> Verdict:
    """Whether the levels of a perfect nest may run in `order` (positions of the levels, new outermost first)."""
    names = ", ".join(loops[k].index.rsplit(".", 1)[-1] for k in order)
    claim = f"every dependence still runs forward when the loops run in the order ({names})"
    return _judge(model, loops, table, ignored, claim, lambda pairs: _backward(pairs, loops, order))


def may_tile(model: LoopModel, loops: tuple[Loop, ...], table: SymbolTable, ignored: frozenset[str]) -> Verdict:
    """Whether rectangular tiles over the levels of a perfect nest keep every dependence."""
    names = ", ".join(l.index.rsplit(".", 1)[-1] for l in loops)
    claim = f"no dependence runs backwards in any of the loops ({names}), so tiles of them keep the order"
    return _judge(model, loops, table, ignored, claim, lambda pairs: _negative(pairs, loops))


def _judge(model: LoopModel, loops: tuple[Loop, ...], table: SymbolTable, ignored: frozenset[str], claim: str, bad) -> Verdict:  # type: ignore[no-untyped-def]  # a function of two relations
    for o in model.obstacles:
        if o.loops:
            return Unknown(claim, o.reason, o.span)
    if any(l.direction == 0 for l in loops):
        return Unknown(claim, "a loop's step is not a constant")
    for group in groups_inside(model, loops[-1], table, ignored).values():
        for w in group:
            for a in group:
                if not (w.is_write or a.is_write):
                    continue
                if w.array != a.array:
                    return Unknown(claim, "two names may share storage", w.span)
                try:
                    wrong = within_budget(lambda: bad(_pairs(w.may, a.may, loops)))  # noqa: B023  # called at once
                    if wrong.is_empty():
                        continue
                    sure = within_budget(lambda: bad(_pairs(w.must, a.must, loops)))  # noqa: B023  # called at once
                except BudgetExceeded:
                    return Unknown(claim, "the operation budget ran out", w.span)
                if sure.is_empty():
                    return Unknown(claim, w.why or a.why or "a condition is not affine", w.span)
                return _refuted(claim, sure, w, a)
    return Proven(claim)


def _pairs(a: isl.Map, b: isl.Map, loops: tuple[Loop, ...]) -> isl.Map:
    """Pairs of iterations of the nest that meet, the first before the second."""
    count = len(loops)
    a, b = (m.project_out(I, count, m.dim(I) - count) for m in (a, b))
    pairs = a.apply_range(b.reverse())
    return _ordered(pairs, loops, tuple(range(count)))


def _ordered(pairs: isl.Map, loops: tuple[Loop, ...], order: tuple[int, ...]) -> isl.Map:
    out = isl.Map.empty(pairs.get_space())
    for k in order:
        forward = loops[k].direction > 0
        out = out.union(pairs.order_lt(I, k, O, k) if forward else pairs.order_gt(I, k, O, k))
        pairs = pairs.equate(I, k, O, k)
    return out


def _backward(pairs: isl.Map, loops: tuple[Loop, ...], order: tuple[int, ...]) -> isl.Map:
    return _ordered(pairs.reverse(), loops, order).reverse()


def _negative(pairs: isl.Map, loops: tuple[Loop, ...]) -> isl.Map:
    out = isl.Map.empty(pairs.get_space())
    for k, loop in enumerate(loops):
        out = out.union(pairs.order_gt(I, k, O, k) if loop.direction > 0 else pairs.order_lt(I, k, O, k))
    return out


def _refuted(claim: str, sure: isl.Map, w: Access, a: Access) -> Verdict:
    sample = sample_pair(sure)
    if sample is None:
        return Unknown(claim, "no pair found", w.span)
    parameters, s, t = sample
    name = w.array.rsplit(".", 1)[-1]
    kinds = f"{'write' if w.is_write else 'read'}-{'write' if a.is_write else 'read'}"
    witness = Witness(tuple(sorted(parameters.items())), (s, t), name, (), (w.span, a.span), kinds)
    return Refuted(claim, f"iteration {s} must run before {t} (they meet in {name}), and would not", witness)
