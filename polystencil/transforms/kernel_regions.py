"""Where kernels are in a program, as far as passes need to know: loops that run on the device, procedures they call."""

from __future__ import annotations

from collections.abc import Iterator

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.directives import HOST
from polystencil.ir.program import Program
from polystencil.ir.symbols import SymbolTable, symbols_in_body
from polystencil.ir.traversal import (
    child_expressions,
    map_statement,
    nested_bodies,
    procedures_of,
    walk_body_expressions,
    walk_expression,
    walk_statements,
)

_IN_KERNELS = (
    s.Assign, s.If, s.SelectCase, s.Do, s.DoWhile, s.Block, s.Exit, s.Cycle, s.Continue, s.Call, s.Return,
)  # fmt: skip


def is_kernel(st: s.Statement) -> bool:
    """Whether a statement of the host runs on the device: parallel loops, and loops in order over elements of arrays."""
    if isinstance(st, s.ParallelLoop):
        return True
    if not isinstance(st, (s.Do, s.DoWhile)) or HOST in st.directives:
        return False
    inner = list(walk_statements(st.body))
    if not all(isinstance(i, _IN_KERNELS) for i in inner):
        return False
    return not any(isinstance(i, s.Call) for i in inner) and any(
        isinstance(e, x.Element) for e in walk_body_expressions((st,))
    )


def private_arrays(st: s.Statement) -> frozenset[str]:
    """Arrays that live inside of the kernel."""
    return frozenset(v.id for v in symbols_in_body((st,)) if v.shape is not None)


def called_in_kernels(program: Program, table: SymbolTable) -> frozenset[str]:
    """Procedures that kernels call, directly or through others."""
    out: set[str] = set()
    for procedure in procedures_of(program):
        for kernel in _kernels(procedure.body):
            _collect((kernel,), table, out)
    return frozenset(out)


def called_from_host(program: Program, table: SymbolTable) -> frozenset[str]:
    """Procedures that code outside of kernels calls; all, where there is no main program and anybody may call."""
    if program.main is None:
        return frozenset(table.procedures)
    out: set[str] = set()
    waiting = [program.main.body]
    while waiting:
        found: set[str] = set()
        for part in _outside_kernels(waiting.pop()):
            _targets(part, table, found)
        waiting += [table.procedures[id].body for id in found - out]
        out |= found
    return frozenset(out)


def _outside_kernels(body: s.Body) -> Iterator[s.Statement]:
    """Statements of the host, each without the statements inside of it."""
    for st in body:
        if not is_kernel(st):
            yield map_statement(st, lambda e: e, lambda _: ())
            for inner in nested_bodies(st):
                yield from _outside_kernels(inner)


def _targets(st: s.Statement, table: SymbolTable, out: set[str]) -> None:
    for e in (e for top in child_expressions(st) for e in walk_expression(top)):
        if isinstance(e, x.ProcedureRef) and e.id in table.procedures:
            out.add(e.id)  # called, or given to somebody who may call it
        if isinstance(e, x.BoundProcedure):
            out |= table.procedures.keys()


def _kernels(body: s.Body) -> Iterator[s.Statement]:
    for st in walk_statements(body):
        if is_kernel(st):
            yield st


def _collect(body: s.Body, table: SymbolTable, out: set[str]) -> None:
    targets = [st.target for st in walk_statements(body) if isinstance(st, s.Call)]
    targets += [e.target for e in walk_body_expressions(body) if isinstance(e, x.FunctionCall)]
    for target in targets:
        if isinstance(target, x.ProcedureRef) and target.id not in out and target.id in table.procedures:
            out.add(target.id)
            _collect(table.procedures[target.id].body, table, out)
