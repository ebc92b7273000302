"""From a loop nest and its margins to one loop over the iterations outside of the interior.

    margins (1, 1) of i = 1:n       -->     do concurrent (f = 0:1)
                                              block
                                                integer :: i
                                                i = merge(1 + f, n + f - 1, f < 1)
                                                ...
The iterations are numbered by one index: for every dimension, outermost first, the rows at both of its ends (inner
dimensions whole, outer ones inside), row by row; the body maps the number back and runs what the nest ran.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import all_of, as_kind, compare, divided, integer, minus, plus, times
from polystencil.ir.program import Symbol
from polystencil.ir.traversal import map_body_expressions
from polystencil.ir.types import INTEGER, Intrinsic


@dataclass(frozen=True)
class Box:
    """A nest's bounds with the margins to peel, as expressions the host evaluates."""

    indices: tuple[s.LoopIndex, ...]
    low: tuple[x.Expression, ...]
    high: tuple[x.Expression, ...]

    def first(self, d: int) -> x.Expression:
        """The first index of the interior."""
        return plus(self.indices[d].lower, self.low[d])

    def last(self, d: int) -> x.Expression:
        """The last index of the interior."""
        return minus(self.indices[d].upper, self.high[d])

    def extent(self, d: int) -> x.Expression:
        """Iterations of a dimension, not clipped at zero."""
        return plus(minus(self.indices[d].upper, self.indices[d].lower), integer(1))

    def inner_extent(self, d: int) -> x.Expression:
        """Iterations of a dimension inside the margins, not clipped at zero."""
        return minus(self.extent(d), plus(self.low[d], self.high[d]))


def has_interior(box: Box) -> x.Expression:
    """The condition under which the interior holds an iteration."""
    return all_of(*(compare("<=", box.first(d), box.last(d)) for d in range(len(box.indices))))


def frame_loop(loop: s.ParallelLoop, box: Box, prefix: str) -> s.ParallelLoop:
    """The loop over the frame of `loop`; its body is the loop's own, with the indices as block variables."""
    kind = INTEGER
    number = Symbol(f"{prefix}.frame", "frame", kind)
    f = x.Ref(number.id, kind)
    rename = {i.ref.id: f"{prefix}.{i.ref.id.rsplit('.', 1)[-1]}" for i in loop.indices}
    names = tuple(
        Symbol(rename[i.ref.id], i.ref.id.rsplit(".", 1)[-1], i.ref.type, span=loop.span) for i in loop.indices
    )
    rest = Symbol(f"{prefix}.rest", "rest", kind)
    sections = [d for d in range(len(box.indices)) if _is_used(box, d)]
    sizes = {d: _section_size(box, d) for d in sections}
    assignments = _assignments(loop, box, sections, sizes, f, x.Ref(rest.id, kind), rename)

    def renamed(e: x.Expression) -> x.Expression:
        return dataclasses.replace(e, id=rename[e.id]) if isinstance(e, x.Ref) and e.id in rename else e

    body = map_body_expressions(loop.body, renamed)
    block = s.Block((*names, rest), (*assignments, *body), span=loop.span)
    total = sizes[sections[0]]
    for d in sections[1:]:
        total = plus(total, sizes[d])
    index = s.LoopIndex(f, integer(0), minus(total, integer(1)), integer(1))
    keep = tuple(v for v in loop.locals if v.id not in rename)
    return dataclasses.replace(loop, indices=(index,), locals=(number, *keep), body=(block,), mask=None)


def _is_used(box: Box, d: int) -> bool:
    zero = integer(0)
    return not (box.low[d] == zero and box.high[d] == zero)


def _section_size(box: Box, d: int) -> x.Expression:
    size = x.Paren(plus(box.low[d], box.high[d]))
    out: x.Expression = integer(1) if False else _plain(size)
    for k in range(len(box.indices)):
        if k != d:
            out = times(out, _group(box.inner_extent(k) if k < d else box.extent(k)))
    return as_kind(out, 4)


def _plain(e: x.Paren) -> x.Expression:
    return e.operand if isinstance(e.operand, (x.Literal, x.Ref)) else e


def _group(e: x.Expression) -> x.Expression:
    return e if isinstance(e, (x.Literal, x.Ref, x.NamedConstant, x.Paren)) else x.Paren(e)


def _assignments(
    loop: s.ParallelLoop,
    box: Box,
    sections: list[int],
    sizes: dict[int, x.Expression],
    f: x.Ref,
    rest: x.Ref,
    rename: dict[str, str],
) -> s.Body:
    """`rest = frame`, then per section: the indices from the number within it."""
    start: x.Expression = integer(0)
    branches: list[s.Branch] = []
    for d in sections:
        end = plus(start, sizes[d])
        within = s.Assign(rest, minus(f, start), span=loop.span)
        body = (within, *_section(loop, box, d, rest, rename))
        branches.append(s.Branch(compare("<", f, end), body, loop.span))
        start = end
    if len(branches) == 1:
        return branches[0].body
    return (s.If(tuple(branches[:-1]), branches[-1].body, span=loop.span),)


def _section(loop: s.ParallelLoop, box: Box, d: int, rest: x.Ref, rename: dict[str, str]) -> s.Body:
    """The indices of number `rest` of a section, the innermost dimension running fastest."""
    out: list[s.Statement] = []
    count = len(box.indices)
    quotient: x.Expression = rest
    for k in reversed(range(count)):
        ref = box.indices[k].ref
        target = x.Ref(rename[ref.id], ref.type)
        outermost = k == 0
        if k == d:
            width = plus(box.low[d], box.high[d])
            position = quotient if outermost else x.IntrinsicCall("mod", (quotient, width), INTEGER)
            value = _end_position(box, d, position)
        else:
            width = box.inner_extent(k) if k < d else box.extent(k)
            position = quotient if outermost else x.IntrinsicCall("mod", (quotient, _int4(width)), INTEGER)
            base = box.first(k) if k < d else box.indices[k].lower
            value = plus(as_kind(base, _kind(ref)), as_kind(position, _kind(ref)))
        out.append(s.Assign(target, value, span=loop.span))
        if not outermost:
            quotient = divided(_group(quotient), _group(_int4(width)))
    return tuple(out)


def _int4(e: x.Expression) -> x.Expression:
    return as_kind(e, 4)


def _kind(ref: x.Ref) -> int:
    return ref.type.kind if isinstance(ref.type, Intrinsic) else 4


def _end_position(box: Box, d: int, position: x.Expression) -> x.Expression:
    """Row `position` of the low and high rows of a dimension, low ones first, in the kind of the index."""
    ref, low = box.indices[d].ref, box.low[d]
    kind = _kind(ref)
    first = plus(as_kind(box.indices[d].lower, kind), as_kind(position, kind))
    beyond = as_kind(plus(minus(position, low), integer(1)), kind)
    after = plus(as_kind(box.last(d), kind), beyond)
    if low == integer(0):
        return after
    if box.high[d] == integer(0):
        return first
    return x.IntrinsicCall("merge", (first, after, compare("<", position, low)), ref.type)
