"""From loops to Fortran lines that a Fortran 2018 compiler takes.

A reduction becomes a sequential nest in the order of the iterations (compilers before Fortran 2023 know no
reduce clause); private variables become a block inside the loop.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.directives import GENERAL, IN_TILE, TILE
from polystencil.ir.printer.declarations import declaration_lines
from polystencil.ir.printer.expressions import print_expression
from polystencil.ir.printer.names import Names
from polystencil.ir.printer.references import references_of_body
from polystencil.ir.program import Symbol
from polystencil.ir.traversal import walk_body_expressions, walk_expression

PrintBody = Callable[[s.Body, Names, str], list[str]]


def do_line(index: str, lower: x.Expression, upper: x.Expression, step: x.Expression, names: Names) -> str:
    """The head of a counted loop."""
    unit = isinstance(step, x.Literal) and step.value == 1
    tail = "" if unit else ", " + print_expression(step, names)
    return f"do {names.of(index)} = {print_expression(lower, names)}, {print_expression(upper, names)}{tail}"


def parallel_loop_lines(st: s.ParallelLoop, names: Names, body: PrintBody, name: str) -> list[str]:
    """do concurrent, or a sequential nest where there is a reduction."""
    inner = names.inner()
    indices = {i.ref.id for i in st.indices}
    extra: list[str] = []
    if st.locals:
        bounds = tuple(s.Assign(i.lower, x.Binary("+", i.upper, i.step)) for i in st.indices)
        mask = () if st.mask is None else (s.Assign(st.mask, st.mask),)
        inner.protect(references_of_body((*st.body, *bounds, *mask)) - {v.id for v in st.locals})
    for symbol in st.locals:
        if symbol.id in indices and not names.is_given(symbol.id):
            visible = _same_variable_outside(symbol, st, names)
            if visible:
                inner.alias(symbol.id, visible)
            else:
                extra += declaration_lines((symbol,), inner)
    private = tuple(v for v in st.locals if v.id not in indices)
    scope = inner.inner()
    scope.protect(references_of_body(st.body, private) - {v.id for v in private})
    for symbol in private:
        if symbol.id in st.local_init:  # another name than the variable outside, which it starts with
            scope.declare(symbol.id, f"{symbol.name}_own", {inner.of(v.id) for v in private})
    lines = [
        line
        for symbol in private
        for line in (declaration_lines((symbol,), scope) if symbol.id in scope.given else _shadow(symbol, scope))
    ]
    starts = [f"  {scope.of(v.id)} = {inner.of(v.id)}" for v in private if v.id in st.local_init]
    statements = body(st.body, scope, "  ")
    if private:
        statements = ["  block", *("    " + i for i in lines), *("  " + i for i in starts + statements), "  end block"]
    if names.openmp:
        nest, ends = _with_simple_ends(st, inner)
        extra += declaration_lines(tuple(end for end, _ in ends), inner)
        out = [f"{inner.of(end.id)} = {print_expression(e, inner)}" for end, e in ends]
        out += _openmp_nest(nest, inner, statements, name)
    elif st.reductions:
        out = _sequential_nest(st, inner, statements, name)
    else:
        out = _do_concurrent(st, inner, statements, name)
    if extra:
        out = ["block", *("  " + i for i in extra), *("  " + i for i in out), "end block"]
    return [*(f"!$polystencil {d}" for d in st.directives), *out]


def _shadow(symbol: Symbol, scope: Names) -> list[str]:
    """Declare a private variable, which may have the id and name of one outside that it hides."""
    scope.declare(symbol.id, symbol.name)
    return declaration_lines((symbol,), scope)


def _same_variable_outside(symbol: Symbol, st: s.ParallelLoop, names: Names) -> str:
    """The name of a variable that can be the index as well: a do concurrent leaves the one outside untouched."""
    scope: Names | None = names
    while scope is not None:
        for id, name in scope.given.items():
            if name != symbol.name:
                continue
            other = names.table.symbols.get(id)
            same = other is not None and other.type == symbol.type and other.shape is None
            bounds = tuple(s.Assign(i.lower, x.Binary("+", i.upper, i.step)) for i in st.indices)
            free = same and not refers_to((*st.body, *bounds), st.mask, id) and not st.reductions
            return name if free else ""
        scope = scope.parent
    return ""


def _do_concurrent(st: s.ParallelLoop, names: Names, body: list[str], name: str) -> list[str]:
    heads = []
    for i in st.indices:
        unit = isinstance(i.step, x.Literal) and i.step.value == 1
        tail = "" if unit else ":" + print_expression(i.step, names)
        heads.append(
            f"{names.of(i.ref.id)} = {print_expression(i.lower, names)}:{print_expression(i.upper, names)}{tail}"
        )
    if st.mask is not None:
        heads.append(print_expression(st.mask, names))
    lead, end = (f"{name}: ", f" {name}") if name else ("", "")
    return [f"{lead}do concurrent ({', '.join(heads)})", *body, f"end do{end}"]


def _sequential_nest(st: s.ParallelLoop, names: Names, body: list[str], name: str) -> list[str]:
    if st.mask is not None:
        body = [f"  if ({print_expression(st.mask, names)}) then", *("  " + i for i in body), "  end if"]
    out = body
    last = len(st.indices) - 1
    for k, i in reversed(list(enumerate(st.indices))):
        lead, end = (f"{name}: ", f" {name}") if name and k == last else ("", "")
        out = [lead + do_line(i.ref.id, i.lower, i.upper, i.step, names), *out, f"end do{end}"]
        if k:
            out = ["  " + line for line in out]
    return out


def _with_simple_ends(st: s.ParallelLoop, names: Names) -> tuple[s.ParallelLoop, list[tuple[Symbol, x.Expression]]]:
    """The loop with variables for those of its bounds that call a function twice with the same arguments: gfortran 12 takes the
    call out in front of the loop, between it and its directive, which it then refuses."""
    ends: list[tuple[Symbol, x.Expression]] = []

    def simple(i: s.LoopIndex, e: x.Expression, word: str) -> x.Expression:
        calls = Counter(n for n in walk_expression(e) if isinstance(n, (x.IntrinsicCall, x.FunctionCall)))
        if not calls or max(calls.values()) < 2:
            return e
        names.protect(references_of_body((*st.body, *(s.Assign(j.lower, x.Binary("+", j.upper, j.step)) for j in st.indices))))
        end = Symbol(f"{i.ref.id}.{word}", word, i.ref.type)
        names.declare(end.id, f"{names.of(i.ref.id)}_{word}", {names.of(j.ref.id) for j in st.indices})
        ends.append((end, e))
        return x.Ref(end.id, end.type)

    indices = tuple(
        dataclasses.replace(i, lower=simple(i, i.lower, "first"), upper=simple(i, i.upper, "last")) for i in st.indices
    )
    return dataclasses.replace(st, indices=indices), ends


_CLAUSES = {"iand": "iand", "ior": "ior", "ieor": "ieor"}


def _openmp_nest(st: s.ParallelLoop, names: Names, body: list[str], name: str) -> list[str]:
    """The nest with its outermost loop shared among threads and its innermost one marked as free of dependences; inside
    of a tile, which one thread runs, and in pure procedures, where OpenMP allows no threads, only the latter."""
    nest = _sequential_nest(st, names, body, name)
    if IN_TILE in st.directives or not names.threads:
        depth = len(st.indices) - 1
        if {GENERAL, TILE} & set(st.directives) or name or st.reductions:
            return nest
        at = next(k for k, line in enumerate(nest) if line.startswith("  " * depth + "do "))
        return [*nest[:at], "  " * depth + "!$omp simd", *nest[at:]]
    reductions = "".join(f" reduction({_CLAUSES.get(r.operator, r.operator)}: {names.of(r.ref.id)})" for r in st.reductions)
    inner = [names.of(i.ref.id) for i in st.indices[1:]]
    private = f" private({', '.join(inner)})" if inner else ""
    if len(st.indices) == 1:
        return [f"!$omp parallel do{reductions}", *nest, "!$omp end parallel do"]
    if not st.reductions and not name:
        depth = len(st.indices) - 1
        at = next(k for k, line in enumerate(nest) if line.startswith("  " * depth + "do "))
        nest = [*nest[:at], "  " * depth + "!$omp simd", *nest[at:]]
    return [f"!$omp parallel do{private}{reductions}", *nest, "!$omp end parallel do"]


def refers_to(body: s.Body, mask: x.Expression | None, id: str) -> bool:
    """Whether a body or mask names a variable."""
    if any(isinstance(e, x.Ref) and e.id == id for e in walk_body_expressions(body)):
        return True
    return mask is not None and any(isinstance(e, x.Ref) and e.id == id for e in walk_expression(mask))
