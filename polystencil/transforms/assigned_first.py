"""From allocate statements to those whose array is assigned whole before anything reads an element of it.

    allocate (s(n))                     allocate (s(n))          ! assigned_first: its memory need not be cleared
    do concurrent (i = 1:n)       -->   do concurrent (i = 1:n)
      s(i) = q(i)                         s(i) = q(i)
    end do                              end do

A walk in the order of the program that carries whether the array is allocated and perhaps not yet assigned; reading it
then keeps the statement as it is. Asks `overwritten` for loops that assign all of an array. Only local allocatables that
have one name, and only loops and assignments in the procedure itself.
"""

from __future__ import annotations

import dataclasses

from polystencil.analysis.definitions import INQUIRY
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program, Symbol
from polystencil.ir.symbols import SymbolTable, symbol_table, symbols_in_body
from polystencil.ir.traversal import (
    child_expressions,
    map_body,
    map_procedures,
    nested_bodies,
    walk_body_expressions,
    walk_statements,
)
from polystencil.ir.types import Intrinsic
from polystencil.transforms.overwritten import arrays_overwritten


def note_assigned_first(program: Program) -> Program:
    """The program with such allocations noted."""
    table = symbol_table(program)

    def one(procedure: Procedure) -> Procedure:
        names = {id for id in _candidates(procedure) if _is_assigned_first(procedure, id, table)}
        if not names:
            return procedure

        def noted(st: s.Statement) -> s.Body:
            if not isinstance(st, s.Allocate) or st.source is not None:
                return (st,)
            allocations = tuple(
                dataclasses.replace(a, assigned_first=isinstance(a.object, x.Ref) and a.object.id in names)
                for a in st.allocations
            )
            return (dataclasses.replace(st, allocations=allocations),)

        return dataclasses.replace(procedure, body=map_body(procedure.body, noted))

    return map_procedures(program, one)


def _candidates(procedure: Procedure) -> list[str]:
    allocated = {
        a.object.id for st in walk_statements(procedure.body) if isinstance(st, s.Allocate) and st.source is None
        for a in st.allocations if isinstance(a.object, x.Ref)
    }  # fmt: skip
    inside = {
        e.id for c in procedure.contained for p in (c, *c.contained)
        for e in walk_body_expressions(p.body) if isinstance(e, x.Ref)
    }  # fmt: skip
    own: list[Symbol] = [*procedure.symbols, *symbols_in_body(procedure.body)]
    other = {"dummy", "save", "pointer", "target", "result", "volatile"}
    return [
        v.id for v in own
        if v.id in allocated - inside and "allocatable" in v.attributes and not v.attributes & other
        and v.block is None and isinstance(v.type, Intrinsic) and v.type.base != "character" and v.shape
        and v.id != procedure.result
    ]  # fmt: skip


class _ReadFirst(Exception):
    """An element may be read before it was assigned."""


def _is_assigned_first(procedure: Procedure, id: str, table: SymbolTable) -> bool:
    try:
        _Walk(id, table).body(procedure.body, False)
    except _ReadFirst:
        return False
    return True


class _Walk:
    """`is_open`: the array is allocated and perhaps not assigned as a whole."""

    def __init__(self, id: str, table: SymbolTable) -> None:
        self.id, self.table = id, table
        self.loops: dict[int, bool] = {}

    def body(self, body: s.Body, is_open: bool) -> bool:
        for st in body:
            is_open = self.statement(st, is_open)
        return is_open

    def statement(self, st: s.Statement, is_open: bool) -> bool:
        match st:
            case s.ParallelLoop():
                return is_open and not self.assigns_all(st)
            case s.Allocate():
                self.read(st, is_open)
                return is_open or any(isinstance(a.object, x.Ref) and a.object.id == self.id for a in st.allocations)
            case s.Assign() if isinstance(st.target, x.Ref) and st.target.id == self.id:
                if is_open and self.names(st.value):
                    raise _ReadFirst
                return False
            case s.If() | s.SelectCase():
                self.read(st, is_open)
                return any([is_open, *(self.body(b, is_open) for b in nested_bodies(st))])
            case s.Do() | s.DoWhile() | s.Block():
                self.read(st, is_open)
                inside = list(nested_bodies(st))
                out = is_open
                for b in inside:
                    once = self.body(b, is_open)
                    loops = not isinstance(st, s.Block) or st.name != ""
                    # again with what the first round left; left early, the array may be as anywhere inside
                    ever = loops and any(self.allocates(i) for i in walk_statements(b))
                    out = (self.body(b, is_open or once or ever) or is_open or ever) if loops else once
                return out
            case _:
                if any(self.named_in(b) for b in nested_bodies(st)):
                    raise _ReadFirst  # where, forall, select type: not followed
                self.read(st, is_open)
                return is_open

    def allocates(self, st: s.Statement) -> bool:
        return isinstance(st, s.Allocate) and any(
            isinstance(a.object, x.Ref) and a.object.id == self.id for a in st.allocations
        )

    def assigns_all(self, st: s.ParallelLoop) -> bool:
        """Whether a loop assigns all of the array first; _ReadFirst where it reads an element of it otherwise."""
        if not self.named_in((st,)):
            return False
        if id(st) not in self.loops:
            self.loops[id(st)] = self.id in arrays_overwritten(st, self.table)
        if not self.loops[id(st)]:
            raise _ReadFirst  # or assigns a part of it, which is no better
        return True

    def read(self, st: s.Statement, is_open: bool) -> None:
        """_ReadFirst where the expressions directly in a statement name the array while it is open."""
        if not is_open or isinstance(st, s.Deallocate):
            return
        parts = child_expressions(st)
        if isinstance(st, s.Allocate):
            bounds = [b for a in st.allocations for pair in a.bounds for b in pair if b is not None]
            parts = [*bounds, *(e for e in (st.source, st.mold) if e is not None)]
        if any(self.names(e) for e in parts):
            raise _ReadFirst

    def names(self, e: x.Expression) -> bool:
        """Whether an expression looks at elements of the array; its bounds and state do not count."""
        if isinstance(e, x.IntrinsicCall) and e.name in INQUIRY and e.arguments and isinstance(e.arguments[0], x.Ref):
            return any(self.names(a) for a in e.arguments[1:] if a is not None)
        if isinstance(e, x.Ref):
            return e.id == self.id
        return any(self.names(c) for c in child_expressions(e))

    def named_in(self, body: s.Body) -> bool:
        return any(isinstance(e, x.Ref) and e.id == self.id for e in walk_body_expressions(body))
