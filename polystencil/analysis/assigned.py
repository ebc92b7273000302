"""Which variables a piece of program reads and writes, and which scalars an iteration reads before it writes them.

Variables are named by the id of their base (`s` for `s%x(i)`). Effects of called procedures are included: their
dummies through the actual arguments, variables of modules and hosts by id.

Two walks over one set of rules, so one file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.program import Procedure
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, nested_bodies, walk_expression
from polystencil.ir.types import Record
from polystencil.ir.typing import rank_of


def base_id(e: x.Expression) -> str | None:
    """The id of the variable that a designator is a part of; None for what is no designator."""
    while True:
        match e:
            case x.Ref():
                return e.id
            case x.Element() | x.Section() | x.Component() | x.Substring():
                e = e.base
            case x.Convert() if isinstance(e.type, Record):
                e = e.operand
            case _:
                return None


@dataclass
class Effects:
    """Ids read and written; `unknown` holds what could not be seen through (calls of unknown procedures)."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)

    def merge(self, other: Effects) -> None:
        self.reads |= other.reads
        self.writes |= other.writes
        self.unknown += other.unknown


class EffectsFinder:
    """Effects of bodies and procedures of one program; procedures are remembered."""

    def __init__(self, table: SymbolTable) -> None:
        self.table = table
        self._procedures: dict[str, Effects] = {}
        self._active: list[str] = []
        self._round: dict[str, Effects] = {}
        self._so_far: dict[str, Effects] = {}
        self._recursive = False

    def of_body(self, body: st.Body) -> Effects:
        out = Effects()
        for statement in body:
            self._statement(statement, out)
        return out

    def of_expression(self, e: x.Expression) -> Effects:
        out = Effects()
        self._read(e, out)
        return out

    def of_procedure(self, procedure_id: str) -> Effects:
        """Effects on dummies and on everything outside of the procedure; its own locals are left out."""
        known = self._procedures.get(procedure_id)
        if known is not None:
            return known
        if self._active:
            return self._one_round(procedure_id)
        while True:  # procedures that call each other: until another round finds nothing more
            self._round, self._recursive = {}, False
            out = self._one_round(procedure_id)
            grown = any(not _same(e, self._so_far.get(i)) for i, e in self._round.items())
            self._so_far.update(self._round)
            if not self._recursive or not grown:
                self._procedures.update(self._round)
                return out

    def _one_round(self, procedure_id: str) -> Effects:
        """The effects as far as those of the procedures being looked at are known."""
        if procedure_id in self._round:
            return self._round[procedure_id]
        if procedure_id in self._active:
            self._recursive = True
            return self._so_far.get(procedure_id, Effects())
        procedure = self.table.procedures.get(procedure_id)
        if procedure is None or procedure.interface_only:
            return Effects(unknown=[procedure_id])
        self._active.append(procedure_id)
        inner = self.of_body(procedure.body)
        self._active.pop()
        own = own_ids(procedure, self.table)
        dummies = set(procedure.dummies)
        out = Effects(
            {i for i in inner.reads if i not in own or i in dummies},
            {i for i in inner.writes if i not in own or i in dummies},
            sorted(set(inner.unknown)),
        )
        self._round[procedure_id] = out
        return out

    def _statement(self, s: st.Statement, out: Effects) -> None:
        match s:
            case st.Assign():
                self._write(s.target, out)
                self._read(s.value, out)
            case st.PointerAssign():
                self._write(s.target, out)
                self._read(s.value, out)
            case st.Call():
                self._call(s.target, s.arguments, out)
            case st.CallIntrinsic():
                for a in s.arguments:
                    if a is not None:
                        self._read(a, out)
                        self._write(a, out)
            case st.Do():
                out.writes.add(s.index.id)
                for e in (s.lower, s.upper, s.step):
                    self._read(e, out)
            case st.ParallelLoop() | st.Forall():
                for index in s.indices:
                    out.writes.add(index.ref.id)
                    for e in (index.lower, index.upper, index.step):
                        self._read(e, out)
                if s.mask is not None:
                    self._read(s.mask, out)
                if isinstance(s, st.ParallelLoop):
                    for r in s.reductions:
                        out.reads.add(r.ref.id)
                        out.writes.add(r.ref.id)
            case st.Read():
                for e in child_expressions(s):
                    self._read(e, out)
                    self._write(e, out)
            case st.Allocate() | st.Deallocate():
                for e in child_expressions(s):
                    self._read(e, out)
                    self._write(e, out)
            case _:
                for e in self._own_expressions(s):
                    self._read(e, out)
        for body in nested_bodies(s):
            for inner in body:
                self._statement(inner, out)

    def _own_expressions(self, s: st.Statement) -> Iterator[x.Expression]:
        yield from child_expressions(s)

    def _write(self, target: x.Expression, out: Effects) -> None:
        name = base_id(target)
        if name is not None:
            out.writes.add(name)
        inner = target
        while isinstance(inner, (x.Element, x.Section, x.Component, x.Substring)):
            if isinstance(inner, (x.Element, x.Section)):
                for e in inner.indices if isinstance(inner, x.Element) else inner.subscripts:
                    self._read(e, out)
            inner = inner.base

    def _read(self, e: x.Expression, out: Effects) -> None:
        for node in walk_expression(e):
            if isinstance(node, x.Ref):
                out.reads.add(node.id)
            elif isinstance(node, x.FunctionCall):
                self._call(node.target, node.arguments, out)

    def _call(self, target: x.Expression, arguments: tuple[x.Expression | None, ...], out: Effects) -> None:
        for a in arguments:
            if a is not None:
                self._read(a, out)
        if not isinstance(target, x.ProcedureRef) or target.id not in self.table.procedures:
            out.unknown.append(target.id if isinstance(target, x.ProcedureRef) else "a procedure chosen at run time")
            for a in arguments:
                if a is not None:
                    self._write(a, out)
            return
        procedure = self.table.procedures[target.id]
        effects = self.of_procedure(target.id)
        out.unknown += effects.unknown
        dummies = set(procedure.dummies)
        out.reads |= effects.reads - dummies
        out.writes |= effects.writes - dummies
        for dummy, actual in zip(procedure.dummies, arguments, strict=False):
            if actual is None:
                continue
            symbol = self.table.symbols.get(dummy)
            if dummy in effects.writes or (symbol is not None and symbol.intent in ("out", "inout")):
                self._write(actual, out)


def _same(a: Effects, b: Effects | None) -> bool:
    return b is not None and a.reads == b.reads and a.writes == b.writes and a.unknown == b.unknown


def own_ids(procedure: Procedure, table: SymbolTable) -> set[str]:
    """Ids of the variables that live in a procedure, those of its blocks and loops included (not saved ones)."""
    return {
        i for i, owner in table.owner.items() if owner == procedure.id and "save" not in table.symbols[i].attributes
    }


class ExposedReads:
    """Scalars that one execution of a body may read before it has written them."""

    def __init__(self, effects: EffectsFinder) -> None:
        self.effects = effects

    def of_body(self, body: st.Body) -> set[str]:
        exposed: set[str] = set()
        self._body(body, set(), exposed)
        return exposed

    def _reads(self, e: x.Expression, done: set[str], exposed: set[str]) -> None:
        exposed |= self.effects.of_expression(e).reads - done

    def _body(self, body: st.Body, done: set[str], exposed: set[str]) -> None:
        for s in body:
            self._statement(s, done, exposed)

    def _statement(self, s: st.Statement, done: set[str], exposed: set[str]) -> None:
        match s:
            case st.Assign():
                self._reads(s.value, done, exposed)
                if isinstance(s.target, x.Ref) and s.target.rank == 0:
                    done.add(s.target.id)
                elif rank_of(s.target) == 0 or not isinstance(s.target, x.Ref):
                    for e in child_expressions(s.target):
                        if not isinstance(e, x.Ref) or e.rank == 0:
                            self._reads(e, done, exposed)
            case st.Call():
                self._call(s, done, exposed)
            case st.If():
                after: list[set[str]] = []
                for branch in s.branches:
                    self._reads(branch.condition, done, exposed)
                    inner = set(done)
                    self._body(branch.body, inner, exposed)
                    after.append(inner)
                inner = set(done)
                self._body(s.otherwise, inner, exposed)
                after.append(inner)
                done |= set.intersection(*after)
            case st.SelectCase():
                self._reads(s.selector, done, exposed)
                after = []
                for case in s.cases:
                    inner = set(done)
                    self._body(case.body, inner, exposed)
                    after.append(inner)
                inner = set(done)
                self._body(s.default, inner, exposed)
                after.append(inner)
                done |= set.intersection(*after)
            case st.Do():
                for e in (s.lower, s.upper, s.step):
                    self._reads(e, done, exposed)
                done.add(s.index.id)
                self._body(s.body, set(done), exposed)
            case st.DoWhile():
                self._reads(s.condition, done, exposed)
                self._body(s.body, set(done), exposed)
            case st.ParallelLoop():
                inner = set(done)
                for index in s.indices:
                    for e in (index.lower, index.upper, index.step):
                        self._reads(e, done, exposed)
                    inner.add(index.ref.id)
                inner |= {symbol.id for symbol in s.locals} - s.local_init
                if s.mask is not None:
                    self._reads(s.mask, inner, exposed)
                exposed |= {r.ref.id for r in s.reductions} - done
                self._body(s.body, inner, exposed)
            case st.Block():
                inner = set(done)
                self._body(s.body, inner, exposed)
                if not any(isinstance(t, st.Exit) and t.target == s.name for t in _inner_statements(s.body)):
                    done |= inner
            case _:
                effects = self.effects.of_body((s,))
                exposed |= effects.reads - done

    def _call(self, s: st.Call, done: set[str], exposed: set[str]) -> None:
        table = self.effects.table
        if not isinstance(s.target, x.ProcedureRef) or s.target.id not in table.procedures:
            exposed |= self.effects.of_body((s,)).reads - done
            return
        procedure = table.procedures[s.target.id]
        effects = self.effects.of_procedure(s.target.id)
        exposed |= (effects.reads - set(procedure.dummies)) - done
        written: set[str] = set()
        for dummy, actual in zip(procedure.dummies, s.arguments, strict=False):
            if actual is None:
                continue
            symbol = table.symbols.get(dummy)
            if symbol is not None and symbol.intent == "out" and isinstance(actual, x.Ref) and actual.rank == 0:
                written.add(actual.id)
            else:
                self._reads(actual, done, exposed)
        done |= written


def _inner_statements(body: st.Body) -> Iterator[st.Statement]:
    for s in body:
        yield s
        for inner in nested_bodies(s):
            yield from _inner_statements(inner)
