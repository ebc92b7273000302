"""From a producer's body to the part of it that computes one array, where that is more than one expression."""

from __future__ import annotations

import dataclasses

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Symbol
from polystencil.ir.traversal import (
    child_expressions,
    map_body,
    map_statement,
    nested_bodies,
    walk_expression,
    walk_statements,
)
from polystencil.ir.typing import type_of
from polystencil.transforms.fusion_definition import Definition, definition
from polystencil.transforms.fusion_paths import path_of
from polystencil.transforms.fusion_refusal import NotFused


def sliced_definitions(loop: s.ParallelLoop, simple: NotFused) -> list[Definition]:
    """Definitions by the part of the body that computes each array; `simple` where that does not work either."""
    private = {v.id for v in loop.locals} - {i.ref.id for i in loop.indices}
    if loop.local_init:
        raise simple
    targets: dict[str, list[tuple[s.Assign, x.Element]]] = {}
    for st in walk_statements(loop.body):
        match st:
            case s.Block():
                if st.name or any(v.shape is not None or v.initial is not None for v in st.declarations):
                    raise simple
                private |= {v.id for v in st.declarations}
            case s.If() | s.SelectCase() | s.Continue():
                pass
            case s.Assign() if isinstance(st.target, x.Element):
                targets.setdefault(path_of(st.target.base) or "", []).append((st, st.target))
            case s.Assign() if isinstance(st.target, x.Ref) and st.target.rank == 0:
                pass
            case _:
                raise simple
    assigned = {st.target.id for st in walk_statements(loop.body)
                if isinstance(st, s.Assign) and isinstance(st.target, x.Ref)}  # fmt: skip
    if assigned - private or "" in targets:
        raise simple
    out = []
    for path, uses in targets.items():
        first = definition(uses[0][0], uses[0][1], loop)
        if any(t.indices != uses[0][1].indices for _, t in uses):
            raise simple
        result = Symbol(f"{path}.value", f"{path.rsplit('.', 1)[-1].rsplit('%', 1)[-1]}_value", type_of(uses[0][1]))
        program = _without_unread(_slice(loop.body, path, x.Ref(result.id, result.type)), result.id)
        out.append(dataclasses.replace(first, program=program, result=result))
    return out


def _slice(body: s.Body, path: str, result: x.Ref) -> s.Body:
    """What of a body computes the array at `path`, into `result`."""
    out: list[s.Statement] = []
    for st in body:
        if isinstance(st, s.Assign) and isinstance(st.target, x.Element):
            if path_of(st.target.base) == path:
                out.append(dataclasses.replace(st, target=result))
        elif isinstance(st, s.Assign):
            out.append(st)
        elif not isinstance(st, s.Continue):
            out.append(map_statement(st, lambda e: e, lambda b: _slice(b, path, result)))
    return tuple(out)


def _without_unread(body: s.Body, result: str) -> s.Body:
    """The body without assignments of scalars that nothing in it reads, and without constructs that are empty then."""
    while True:
        read = {result}
        for st in walk_statements(body):
            for e in child_expressions(st):
                if isinstance(st, s.Assign) and e is st.target and isinstance(e, x.Ref):
                    continue
                read |= {n.id for n in walk_expression(e) if isinstance(n, x.Ref)}

        def kept(st: s.Statement, read: set[str] = read) -> s.Body:
            if isinstance(st, s.Assign) and isinstance(st.target, x.Ref) and st.target.id not in read:
                return ()
            if isinstance(st, (s.If, s.SelectCase, s.Block)) and not any(nested_bodies(st)):
                return ()
            return (st,)

        new = map_body(body, kept)
        if new is body:
            return body
        body = new
