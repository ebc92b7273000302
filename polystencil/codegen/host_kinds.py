"""How the host program keeps each variable: a plain Python value, 0-d storage, an Array, a cell, a record.

A scalar is a plain value (a NumPy scalar in a Python local) unless something refers to it: an argument by reference, a
kernel that assigns it, a pointer, input, a contained procedure that changes it.
"""

from __future__ import annotations

from typing import Literal

from polystencil.analysis.assigned import base_id
from polystencil.codegen.host_plan import Plan
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.program import Procedure, Program, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, nested_bodies, procedures_of, walk_expression
from polystencil.ir.types import Intrinsic, ProcedureType, Record

Kind = Literal["value", "storage", "array", "cell", "record", "procedure"]


def by_value(symbol: Symbol) -> bool:
    """Whether a scalar dummy is passed as a value: decided by its declaration alone, so that all callers agree."""
    return (
        isinstance(symbol.type, Intrinsic)
        and symbol.shape is None
        and (symbol.intent == "in" or "value" in symbol.attributes)
        and not symbol.attributes & {"pointer", "allocatable", "target", "volatile"}
    )


class Kinds:
    """The kind of every variable of a program."""

    def __init__(self, program: Program, table: SymbolTable, plan: Plan) -> None:
        self.table = table
        self.referenced: set[str] = set()
        for launches in plan.launches.values():
            for launch in launches:
                self.referenced |= launch.written_scalars
        for procedure in procedures_of(program):
            self._body(procedure.body, procedure, plan)

    def of(self, symbol: Symbol) -> Kind:
        """The kind of a variable."""
        if symbol.attributes & {"allocatable", "pointer"}:
            return "cell"
        if isinstance(symbol.type, ProcedureType):
            return "procedure"
        if symbol.shape is not None:
            return "array"
        if isinstance(symbol.type, Record):
            return "record"
        if not isinstance(symbol.type, Intrinsic):
            return "procedure"
        if "dummy" in symbol.attributes:
            if not by_value(symbol):
                return "storage"
            return "storage" if symbol.id in self.referenced and symbol.type.base != "character" else "value"
        owner = self.table.owner.get(symbol.id)
        static = owner in self.table.modules or symbol.block is not None or self.is_saved(symbol)
        if static or symbol.type.base == "character" or "target" in symbol.attributes or symbol.id in self.referenced:
            return "storage"
        return "value"

    def is_saved(self, symbol: Symbol) -> bool:
        """Whether a local variable keeps its value between calls."""
        if symbol.attributes & {"dummy", "result", "parameter"} or isinstance(symbol.type, ProcedureType):
            return False
        if symbol.attributes & {"save"}:
            return True
        return symbol.initial is not None and not (isinstance(symbol.initial, x.Null) and False)

    def _body(self, body: st.Body, procedure: Procedure, plan: Plan) -> None:
        for s in body:
            if id(s) in plan.rewritten:
                s = plan.rewritten[id(s)]
            if id(s) not in plan.launches:
                self._statement(s, procedure)
                for inner in nested_bodies(s):
                    self._body(inner, procedure, plan)
            else:
                for launch in plan.launches[id(s)]:
                    for e in (*launch.scalars, *(p for r in launch.ranges for p in r)):
                        self._calls(e)

    def _statement(self, s: st.Statement, procedure: Procedure) -> None:
        for e in child_expressions(s):
            self._calls(e)
        match s:
            case st.Assign():
                self._changed(s.target, procedure)
            case st.Do():
                self._changed(s.index, procedure)
            case st.Call():
                self._call(s.target, s.arguments)
            case st.CallIntrinsic():
                for a in s.arguments:
                    self._refer(a)
            case st.Read() | st.FileStatement() | st.Write():
                if isinstance(s, st.Read):
                    for item in s.items:
                        self._refer(item)
                if isinstance(s, (st.Read, st.Write)) and s.unit is not None:
                    self._refer(s.unit)
                for name, e in s.controls:
                    if isinstance(s, st.FileStatement) or name in ("iostat", "iomsg", "size", "err"):
                        self._refer(e)
            case st.NamelistTransfer():
                for _, ref in s.members:
                    self._refer(ref)
                for name, e in s.controls:
                    if name in ("iostat", "iomsg"):
                        self._refer(e)
            case st.Allocate() | st.Deallocate():
                self._refer(s.stat)
                self._refer(s.errmsg)
            case st.ParallelLoop():
                for r in s.reductions:
                    self._changed(r.ref, procedure)
            case _:
                pass

    def _changed(self, target: x.Expression, procedure: Procedure) -> None:
        """A variable of a host procedure that a contained one assigns cannot be a Python local."""
        identifier = base_id(target)
        if identifier is not None and self.table.owner.get(identifier, procedure.id) != procedure.id:
            self.referenced.add(identifier)

    def _refer(self, e: x.Expression | None) -> None:
        if isinstance(e, x.ImpliedDo):
            for item in e.items:
                self._refer(item)
        identifier = None if e is None else base_id(e)
        if identifier is not None:
            self.referenced.add(identifier)

    def _calls(self, e: x.Expression) -> None:
        for node in walk_expression(e):
            if isinstance(node, x.FunctionCall):
                self._call(node.target, node.arguments)

    def _call(self, target: x.Expression, arguments: tuple[x.Expression | None, ...]) -> None:
        procedure = self.table.procedures.get(target.id) if isinstance(target, x.ProcedureRef) else None
        for k, a in enumerate(arguments):
            symbol = None
            if procedure is not None and k < len(procedure.dummies):
                symbol = self.table.symbols.get(procedure.dummies[k])
            if symbol is None or not by_value(symbol):
                self._refer(a)
