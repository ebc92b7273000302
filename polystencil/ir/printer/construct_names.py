"""Unique construct names within a procedure, as Fortran asks; transformations copy loops with their names."""

from __future__ import annotations

import dataclasses

from polystencil.ir import statements as s
from polystencil.ir.traversal import map_statement


def with_unique_names(body: s.Body) -> s.Body:
    """`body` with every named loop and block named differently, and exit and cycle following."""
    taken: set[str] = set()

    def go(body: s.Body, current: dict[str, str]) -> s.Body:
        return tuple(one(st, current) for st in body)

    def one(st: s.Statement, current: dict[str, str]) -> s.Statement:
        if isinstance(st, (s.Exit, s.Cycle)):
            return dataclasses.replace(st, target=current.get(st.target, st.target))
        inside = current
        if isinstance(st, (s.Do, s.DoWhile, s.ParallelLoop, s.Block)) and st.name:
            name, n = st.name, 1
            while name in taken:
                n += 1
                name = f"{st.name}_{n}"
            taken.add(name)
            inside = {**current, st.name: name}
            st = dataclasses.replace(st, name=name)
        return map_statement(st, lambda e: e, lambda b: go(b, inside))

    return go(body, {})
