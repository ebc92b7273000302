"""A program cut down to one procedure and what it calls, for `polystencil compile --procedure`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from polystencil.errors import UsageError
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.traversal import walk_body_expressions, walk_expression, walk_statements


def only_procedure(program: Program, name: str) -> Program:
    """`program` without its main program and without procedures that `name` does not reach; modules keep their data."""
    there = [p for p in _outer(program) if not p.interface_only]
    wish = name.lower()
    found = [p for p in there if wish in (p.name, p.id)]
    if len(found) != 1:
        names = ", ".join(sorted(p.id if found else p.name for p in found or there)) or "none"
        what = "there is no procedure" if not found else "more than one procedure is called"
        raise UsageError(f"{what} {name!r}", hint=f"procedures outside of the main program: {names}")
    reached = _reached(program, found[0])
    return dataclasses.replace(
        program,
        modules=tuple(
            dataclasses.replace(m, procedures=tuple(p for p in m.procedures if p.interface_only or p.id in reached))
            for m in program.modules
        ),
        procedures=tuple(p for p in program.procedures if p.interface_only or p.id in reached),
        main=None,
    )


def only_reached(program: Program) -> Program:
    """`program` without procedures that its main program does not reach; as it is where there is no main program."""
    if program.main is None:
        return program
    reached = _reached(program, program.main)
    return dataclasses.replace(
        program,
        modules=tuple(
            dataclasses.replace(m, procedures=tuple(p for p in m.procedures if p.interface_only or p.id in reached))
            for m in program.modules
        ),
        procedures=tuple(p for p in program.procedures if p.interface_only or p.id in reached),
    )


def _outer(program: Program) -> list[Procedure]:
    return [*(p for m in program.modules for p in m.procedures), *program.procedures]


def _reached(program: Program, start: Procedure) -> set[str]:
    """Ids of procedures that `start` can come to call; those bound to types count, whatever calls them."""
    known = {p.id: p for p in (*_outer(program), start)}
    bound = {b.procedure for m in program.modules for t in m.types for b in t.bindings}
    final = {f for m in program.modules for t in m.types for f in t.final}
    starting = {n for m in program.modules for v in m.symbols for n in _mentioned_in(v.initial)}
    reached: set[str] = set()
    waiting = [start.id, *(i for i in (*bound, *final, *starting) if i)]
    while waiting:
        identifier = waiting.pop()
        procedure = known.get(identifier)
        if procedure is None or identifier in reached:
            continue
        reached.add(identifier)
        waiting += _mentioned(procedure)
    return reached


def _mentioned(procedure: Procedure) -> Iterator[str]:
    for inner in procedure.contained:
        yield from _mentioned(inner)
    for t in procedure.types:
        yield from (b.procedure for b in t.bindings if b.procedure)
    for symbol in procedure.symbols:
        yield from _mentioned_in(symbol.initial)
        for d in symbol.shape or ():
            for e in (d.lower, d.upper):
                yield from _mentioned_in(e if isinstance(e, x.Expression) else None)
    for st in walk_statements(procedure.body):
        if isinstance(st, s.Call):
            yield from _mentioned_in(st.target)
    for e in walk_body_expressions(procedure.body):
        if isinstance(e, x.FunctionCall):
            yield from _mentioned_in(e.target)
        elif isinstance(e, x.ProcedureRef):
            yield e.id


def _mentioned_in(e: x.Expression | None) -> Iterator[str]:
    if e is not None:
        yield from (n.id for n in walk_expression(e) if isinstance(n, x.ProcedureRef))
