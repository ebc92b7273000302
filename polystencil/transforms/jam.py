"""jam: the interior of a split nest runs three rows of its outer dimension in one work item (unroll-and-jam).

    do concurrent (j = 2:m-1, i = 2:n-1)       do concurrent (j = 2:last:3, i = 2:n-1)
      b(i, j) = a(i, j-1) + a(i, j+1)    -->     b(i, j) = a(i, j-1) + a(i, j+1)
    end do                                       b(i, j+1) = a(i, j) + a(i, j+2)
                                                 b(i, j+2) = a(i, j+1) + a(i, j+3)
                                               end do
    with `last` such that the rows are a multiple of three; the rows left over join the frame.

Legal because the iterations of a parallel loop may run in any order, so any three in one work item, one after the
other. It pays where the body reads an array at two or more offsets along the outer dimension, the contiguous index is
the inner one, and what a launch names fits in the last-level cache, which the host checks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import islpy as isl

from polystencil.analysis.call_values import usual_values
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import as_kind, compare, divided, integer, minus, plus, times
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import (
    child_expressions,
    map_body,
    map_body_expressions,
    map_expression,
    walk_expression,
    walk_statements,
)
from polystencil.ir.types import INTEGER, INTEGER8, Intrinsic
from polystencil.ir.typing import type_of
from polystencil.options import Options
from polystencil.polyhedral.affine import Scope, to_affine
from polystencil.polyhedral.parameters import Parameters, constant_value
from polystencil.transforms.frame import Box, frame_loop
from polystencil.transforms.index_tests import loop_scope

FACTOR = 3
DEFAULT_CACHE = 32 * 2**20  # bytes, where neither the user nor the device says


class NotJammed(Exception):
    """The interior is not jammed; the message says why."""


def jam_interior(
    st: s.ParallelLoop,
    box: Box,
    interior: s.ParallelLoop,
    frame: s.ParallelLoop,
    prefix: str,
    table: SymbolTable,
    options: Options,
    remark: Callable[..., None],
) -> s.Body:
    """Frame and interior, or a choice between that and the jammed interior with its larger frame."""
    try:
        _check(interior, table)
    except NotJammed as why:
        remark("jam", "refused", st, str(why))
        return (frame, interior)
    row = len(st.indices) - 2
    rows = box.inner_extent(row)
    left = Symbol(f"{prefix}.left_over", "left_over", INTEGER)
    left_ref = x.Ref(left.id, INTEGER)
    count_left = s.Assign(left_ref, as_kind(x.IntrinsicCall("mod", (rows, integer(FACTOR)), type_of(rows)), 4), span=st.span)
    high = tuple(plus(h, left_ref) if d == row else h for d, h in enumerate(box.high))
    jammed_box = Box(box.indices, box.low, high)
    jammed_frame = frame_loop(st, jammed_box, f"{prefix}j")
    jammed = _jammed(interior, row, jammed_box, prefix)
    cache = DEFAULT_CACHE if options.cache_bytes is None else options.cache_bytes
    named = _bytes_named(interior, table)
    iterations: x.Expression = integer(1, INTEGER8)
    for d in range(len(box.indices)):
        iterations = times(iterations, as_kind(box.extent(d), 8))
    fits = compare("<=", times(iterations, integer(named, INTEGER8)), integer(cache, INTEGER8))
    n_rows = _usual_value(rows, table)
    details: dict[str, object] = {"factor": FACTOR, "bytes_per_iteration": named, "cache_bytes": cache}
    if n_rows is not None:
        details |= {"interior_rows": n_rows // FACTOR * FACTOR, "left_over_rows": n_rows % FACTOR}
    remark(
        "jam", "runtime-checked", st,
        f"{FACTOR} rows in one work item when the bytes that a launch names ({named} an iteration) fit in the cache of "
        f"{cache} bytes at run time", "iterations of a parallel loop may run in any order", details,
    )  # fmt: skip
    choice = s.If(
        (s.Branch(fits, (s.Block((left,), (count_left, jammed_frame, jammed), span=st.span),), st.span),),
        (frame, interior), s.Choice("jam", (st.span.line,)), span=st.span,
    )  # fmt: skip
    return (choice,)


def _usual_value(e: x.Expression, table: SymbolTable) -> int | None:
    """The value of an expression where all calls in the program pass the same sizes; only for the remark."""
    usual = usual_values(table)

    def known(n: x.Expression) -> x.Expression:
        return integer(usual[n.id], n.type) if isinstance(n, x.Ref) and n.id in usual else n

    f = to_affine(map_expression(e, known), Scope(Parameters(), lambda _: False))
    return None if f is None else constant_value(f.coalesce())


def _check(interior: s.ParallelLoop, table: SymbolTable) -> None:
    if len(interior.indices) < 2:
        raise NotJammed("the nest has one dimension: there are no rows of an outer one")
    if interior.local_init:
        raise NotJammed("a private variable starts with the value outside")
    if any(isinstance(i, s.Cycle) and i.target == interior.name for i in walk_statements(interior.body)):
        raise NotJammed("an iteration may be cut short by cycle, which would skip the other rows")
    outer, inner = interior.indices[-2].ref.id, interior.indices[-1].ref.id
    scope = loop_scope(interior, interior.body, table, table.owner.get(inner, ""))
    stores = [st.target for st in walk_statements(interior.body)
              if isinstance(st, s.Assign) and isinstance(st.target, x.Element)]  # fmt: skip
    for target in stores:
        first = target.indices[0] if isinstance(target, x.Element) else None
        if first is None or not _moves_by_one(first, inner, outer):
            raise NotJammed(
                "a store does not have the inner index as its first subscript, so the inner dimension is not the "
                "contiguous one"
            )
    if not _has_two_offsets(interior, outer, scope):
        raise NotJammed(
            "the factor is one: no array is read at two or more offsets along the outer dimension, so rows share nothing"
        )


def _moves_by_one(e: x.Expression, index: str, other: str) -> bool:
    names = [n.id for n in walk_expression(e) if isinstance(n, x.Ref)]
    return names.count(index) == 1 and other not in names and not any(
        isinstance(n, x.Binary) and n.operator in ("*", "/") for n in walk_expression(e)
    )


def _has_two_offsets(loop: s.ParallelLoop, outer: str, scope: Scope) -> bool:
    along: dict[tuple[str, int], list[isl.PwAff]] = {}
    for st in walk_statements(loop.body):
        if not isinstance(st, s.Assign):
            continue
        for e in walk_expression(st.value):
            if not isinstance(e, x.Element):
                continue
            for position, subscript in enumerate(e.indices):
                if not any(isinstance(n, x.Ref) and n.id == outer for n in walk_expression(subscript)):
                    continue
                f = to_affine(subscript, scope)
                if f is not None:
                    along.setdefault((repr(e.base), position), []).append(f)
    apart = (constant_value(f.sub(same[0]).coalesce()) for same in along.values() for f in same[1:])
    return any(bool(c) for c in apart)


def _jammed(interior: s.ParallelLoop, row: int, box: Box, prefix: str) -> s.ParallelLoop:
    index = interior.indices[row]
    bodies: list[s.Statement] = []
    for k in range(FACTOR):
        bodies += _shifted_copy(interior.body, index.ref.id, k, f"{prefix}r{k}")
    last = box.last(row)
    indices = tuple(
        dataclasses.replace(i, upper=last, step=integer(FACTOR, type_of(i.step))) if d == row else i
        for d, i in enumerate(interior.indices)
    )
    return dataclasses.replace(interior, indices=indices, body=tuple(bodies))


def _shifted_copy(body: s.Body, index: str, by: int, prefix: str) -> s.Body:
    """The body of row `index + by`, with block variables and constructs of its own."""
    rename = {v.id: f"{v.id}_r{by}" for st in walk_statements(body) if isinstance(st, s.Block) for v in st.declarations}

    def expression(e: x.Expression) -> x.Expression:
        if isinstance(e, x.Ref) and e.id == index and by:
            return plus(e, integer(by, e.type))
        if isinstance(e, x.Binary) and isinstance(e.left, x.Binary) and isinstance(e.right, x.Literal):
            if e.operator in ("+", "-") and isinstance(e.right.type, Intrinsic) and e.right.type.base == "integer":
                return plus(e.left, e.right) if e.operator == "+" else minus(e.left, e.right)
        if isinstance(e, x.Ref) and e.id in rename and by:
            return dataclasses.replace(e, id=rename[e.id])
        return e

    def statement(st: s.Statement) -> s.Body:
        if isinstance(st, s.Block):
            declared = tuple(dataclasses.replace(v, id=rename[v.id]) if by else v for v in st.declarations)
            return (dataclasses.replace(st, declarations=declared, name=_named(st.name, prefix)),)
        if isinstance(st, (s.Do, s.DoWhile)):
            return (dataclasses.replace(st, name=_named(st.name, prefix)),)
        if isinstance(st, (s.Exit, s.Cycle)):
            return (dataclasses.replace(st, target=_named(st.target, prefix)),)
        return (st,)

    return map_body(map_body_expressions(body, expression), statement)


def _named(name: str, prefix: str) -> str:
    return f"{prefix}.{name}" if name else ""


def _bytes_named(loop: s.ParallelLoop, table: SymbolTable) -> int:
    """One element of every array that the body names."""
    arrays: dict[str, int] = {}
    for st in walk_statements(loop.body):
        for top in child_expressions(st):
            for e in walk_expression(top):
                kind = type_of(e)
                if isinstance(e, x.Element) and isinstance(kind, Intrinsic):
                    arrays[repr(e.base)] = kind.kind * (2 if kind.base == "complex" else 1)
    del table
    return sum(arrays.values())


__all__ = ["DEFAULT_CACHE", "FACTOR", "NotJammed", "divided", "jam_interior"]
