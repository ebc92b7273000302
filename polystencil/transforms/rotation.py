"""rotation: a time loop at whose end move_alloc exchanges arrays runs a whole turn of the exchange at a time.

    do t = 1, n                               do turn = 1, max(n - 1 + 1, 0)/2
      ... a and b                               t = 1 + 2*(turn - 1)
      call move_alloc(a, tmp)                   ... a and b
      call move_alloc(b, a)          -->        t = t + 1
      call move_alloc(tmp, b)                   ... b and a, by name
    end do                                    end do
                                              do t = 1 + 2*(max(n - 1 + 1, 0)/2), n
                                                ... the loop as it was
                                              end do

After a whole turn every array has its own name again, so that the loop over turns needs no exchange, and fuse and skew see
which array is which. Legal because names are all that an exchange changes: what holds of a name in the second iteration
of a turn holds of the other name in the first. Needs names that nothing else uses for these arrays: no targets, no
procedure that sees them by association, a temporary that stands nowhere else, no iteration that ends early.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import as_kind, divided, integer, minus, plus, times, value_of
from polystencil.ir.program import Procedure, Program, Symbol
from polystencil.ir.symbols import SymbolTable, symbol_table
from polystencil.ir.traversal import (
    map_body_expressions,
    map_procedures,
    map_statement,
    walk_body_expressions,
    walk_statements,
)
from polystencil.ir.types import INTEGER8, Intrinsic
from polystencil.remarks import Remark
from polystencil.transforms.results import PassResult

LONGEST = 4  # iterations in a turn
Moves = list[tuple[str, str]]  # (from, to) of each move_alloc


class NotTurned(Exception):
    """The exchange stays in the loop; the message says why."""


def rotation(program: Program) -> PassResult:
    """The program with time loops over whole turns, and a remark for each loop that ends with an exchange."""
    table = symbol_table(program)
    remarks: list[Remark] = []

    def one(procedure: Procedure) -> Procedure:
        turner = _Turner(procedure, table, remarks)
        body = turner.body(procedure.body)
        return procedure if body is procedure.body else dataclasses.replace(procedure, body=body)

    return PassResult(map_procedures(program, one), tuple(remarks))


class _Turner:
    def __init__(self, procedure: Procedure, table: SymbolTable, remarks: list[Remark]) -> None:
        self.procedure, self.table, self.remarks, self.count = procedure, table, remarks, 0
        self.called: set[str] = set()  # procedures that do nothing but exchange

    def body(self, body: s.Body) -> s.Body:
        out = tuple(self.statement(st) for st in body)
        return body if all(a is b for a, b in zip(out, body, strict=True)) else out

    def statement(self, st: s.Statement) -> s.Statement:
        if isinstance(st, s.ParallelLoop):
            return st
        if isinstance(st, s.Do):
            work, moves = self.exchange(st.body)
            if moves and any(isinstance(i, s.ParallelLoop) for i in walk_statements(work)):
                try:
                    return self.turned(st, work, moves)
                except NotTurned as why:
                    self.remark(st, "refused", str(why))
        return map_statement(st, lambda e: e, self.body)

    def exchange(self, body: s.Body) -> tuple[s.Body, Moves]:
        """The body without the exchange at its end, and the moves of that."""
        moves: Moves = []
        end = len(body)
        while end and (found := self.moves_of(body[end - 1])) is not None:
            moves = found + moves
            end -= 1
        return body[:end], moves

    def moves_of(self, st: s.Statement) -> Moves | None:
        """The moves of one statement: move_alloc itself, or a call of a procedure that does nothing else."""
        match st:
            case s.Continue():
                return []
            case s.CallIntrinsic(name="move_alloc") if len([a for a in st.arguments if a is not None]) == 2:
                ids = [a.id for a in st.arguments if isinstance(a, x.Ref)]
                return [(ids[0], ids[1])] if len(ids) == 2 else None
            case s.Call() if isinstance(st.target, x.ProcedureRef):
                procedure = self.table.procedures.get(st.target.id)
                if procedure is None or procedure.contained or not procedure.body:
                    return None
                given = {}
                for dummy, actual in zip(procedure.dummies, st.arguments, strict=False):
                    if not isinstance(actual, x.Ref):
                        return None
                    given[dummy] = actual.id
                if len(given) != len(procedure.dummies) or len(set(given.values())) < len(given):
                    return None
                self.called.add(procedure.id)
                return _inside(procedure, given, self.table)
            case _:
                return None

    def turned(self, st: s.Do, work: s.Body, moves: Moves) -> s.Block:
        """The loop over turns and the loop over the iterations that are left."""
        names = self.permutation(st, work, moves)
        period = _period(names)
        if period > LONGEST:
            raise NotTurned(f"the exchange comes round only after {period} iterations")
        self.check(st, work, set(names))
        self.count += 1
        prefix = f"{self.procedure.id}.turn{self.count}"
        kind = st.index.type
        first, last = (Symbol(f"{prefix}.{n}", n, kind, span=st.span) for n in ("first", "last"))
        turns, turn = (Symbol(f"{prefix}.{n}", n, INTEGER8, span=st.span) for n in ("turns", "turn"))
        low, high = x.Ref(first.id, kind), x.Ref(last.id, kind)
        many, number = x.Ref(turns.id, INTEGER8), x.Ref(turn.id, INTEGER8)
        one, length = integer(1, INTEGER8), integer(period, INTEGER8)
        width = kind.kind if isinstance(kind, Intrinsic) else 4
        extent = plus(minus(as_kind(high, 8), as_kind(low, 8)), one)
        trips = x.IntrinsicCall("max", (extent, integer(0, INTEGER8)), INTEGER8)
        begin = plus(as_kind(low, 8), times(x.Paren(minus(number, one)), length))
        inside: list[s.Statement] = [s.Assign(st.index, as_kind(begin, width), span=st.span)]
        inside += _copied(work, {}, f"{prefix}.i0")
        now = {id: id for id in names}
        for k in range(1, period):
            now = {id: now[names[id]] for id in names}
            inside.append(s.Assign(st.index, plus(st.index, integer(1, kind)), span=st.span))
            inside += _copied(work, now, f"{prefix}.i{k}")
        rest = as_kind(plus(as_kind(low, 8), times(many, length)), width)
        loop = s.Do(number, one, many, one, tuple(inside), f"{prefix}.turns", span=st.span)
        body: s.Body = (
            s.Assign(low, st.lower, span=st.span),
            s.Assign(high, st.upper, span=st.span),
            s.Assign(many, divided(trips, length), span=st.span),
            loop,
            dataclasses.replace(st, lower=rest, upper=high),
        )
        self.remark(st, "applied", f"{period} iterations at a time, after which each array has its own name again")
        return s.Block((first, last, turns, turn), body, span=st.span)

    def permutation(self, st: s.Do, work: s.Body, moves: Moves) -> dict[str, str]:
        """The array that each name has after the exchange, by the name that it had before."""
        holds: dict[str, str | None] = {id: id for pair in moves for id in pair}
        for source, target in moves:
            if source == target:
                raise NotTurned("move_alloc from an array to itself")
            holds[target], holds[source] = holds[source], None
        empty = {id for id, array in holds.items() if array is None}
        names = {id: array for id, array in holds.items() if array is not None}
        if set(names.values()) != set(names):
            raise NotTurned("the exchange at the end of the loop loses an array")
        inside = {id for id in empty if self.table.owner.get(id, "") in self.called}
        if any(self.table.owner.get(id) != self.procedure.id for id in empty - inside):
            raise NotTurned("the temporary of the exchange belongs to a scope around")
        named = {
            e.id for e in walk_body_expressions(tuple(self.others(self.procedure.body, st))) if isinstance(e, x.Ref)
        } | {e.id for e in walk_body_expressions(work) if isinstance(e, x.Ref)}
        if any(id in named for id in empty - inside):
            raise NotTurned("the temporary of the exchange is used elsewhere")
        if all(id == array for id, array in names.items()):
            raise NotTurned("the moves at the end of the loop exchange nothing")
        return names

    def others(self, body: s.Body, apart: s.Statement) -> list[s.Statement]:
        """The statements of a body without one of them, each without the statements inside."""
        out: list[s.Statement] = []
        for st in body:
            if st is apart:
                continue
            out.append(map_statement(st, lambda e: e, lambda b: tuple(self.others(b, apart))))
        return out

    def check(self, st: s.Do, work: s.Body, arrays: set[str]) -> None:
        """NotTurned where an array may be reached by another name, or an iteration may end early."""
        if value_of(st.step) != 1:
            raise NotTurned("the step of the loop is not one")
        index = self.table.symbols.get(st.index.id)
        if index is None or index.attributes & {"pointer", "target", "volatile"} or index.block is not None:
            raise NotTurned("the loop's variable may have another name")
        for id in arrays:
            symbol = self.table.symbols.get(id)
            if symbol is None or self.table.owner.get(id) != self.procedure.id:
                raise NotTurned("an array of the exchange belongs to a scope around, where others may see it")
            if symbol.attributes & {"pointer", "target", "volatile", "save"} or symbol.block is not None:
                raise NotTurned(f"{symbol.name} may have another name (target) or outlive the procedure")
        for procedure in self.procedure.contained:
            seen = {e.id for e in walk_body_expressions(procedure.body) if isinstance(e, x.Ref)}
            if seen & arrays:
                raise NotTurned(f"{procedure.name} sees an array of the exchange by host association")
        for i in walk_statements(work):
            if isinstance(i, (s.Return, s.NamelistTransfer)) or (isinstance(i, (s.Exit, s.Cycle)) and _leaves(i, work)):
                raise NotTurned("an iteration may end early, or names its variables in a namelist")

    def remark(self, st: s.Do, status: str, reason: str) -> None:
        self.remarks.append(Remark("rotation", status, st.span, self.procedure.name, reason))  # type: ignore[arg-type]  # one of Status


def _inside(procedure: Procedure, given: dict[str, str], table: SymbolTable) -> Moves | None:
    """The moves of a procedure that only moves its dummies and local allocatables, in the caller's names."""
    out: Moves = []
    for st in procedure.body:
        if isinstance(st, s.Continue):
            continue
        if not (isinstance(st, s.CallIntrinsic) and st.name == "move_alloc") or any(a is not None for a in st.arguments[2:]):
            return None
        ids = []
        for a in st.arguments[:2]:
            if not isinstance(a, x.Ref):
                return None
            symbol = table.symbols[a.id]
            own = table.owner.get(a.id) == procedure.id
            if not own or symbol.attributes & {"save", "target", "optional", "result"}:
                return None
            ids.append(given.get(a.id, a.id))
        out.append((ids[0], ids[1]))
    return out


def _period(names: dict[str, str]) -> int:
    now, period = dict(names), 1
    while any(id != array for id, array in now.items()):
        now = {id: now[names[id]] for id in names}
        period += 1
    return period


def _copied(body: s.Body, names: dict[str, str], prefix: str) -> s.Body:
    """A copy of the body with arrays under other names, and constructs and variables of blocks of its own."""
    own = {v.id: f"{prefix}.{v.id}" for st in walk_statements(body) if isinstance(st, s.Block) for v in st.declarations}
    rename = {**names, **own}

    def expression(e: x.Expression) -> x.Expression:
        return dataclasses.replace(e, id=rename[e.id]) if isinstance(e, x.Ref) and rename.get(e.id, e.id) != e.id else e

    def statement(st: s.Statement) -> s.Statement:
        inner = map_statement(st, lambda e: e, lambda b: tuple(map(statement, b)))
        if isinstance(inner, s.Block):
            declared = tuple(dataclasses.replace(v, id=own[v.id]) for v in inner.declarations)
            return dataclasses.replace(inner, declarations=declared, name=_construct(inner.name, prefix))
        if isinstance(inner, (s.Do, s.DoWhile, s.ParallelLoop)):
            return dataclasses.replace(inner, name=_construct(inner.name, prefix))
        if isinstance(inner, (s.Exit, s.Cycle)):
            return dataclasses.replace(inner, target=_construct(inner.target, prefix))
        return dataclasses.replace(inner)  # passes tell statements apart by identity

    return tuple(map(statement, map_body_expressions(body, expression)))


def _construct(name: str, prefix: str) -> str:
    return f"{prefix}.{name}" if name else ""


def _leaves(jump: s.Exit | s.Cycle, body: Sequence[s.Statement]) -> bool:
    """Whether a jump leaves `body`."""
    named = {i.name for i in walk_statements(tuple(body)) if isinstance(i, (s.Do, s.DoWhile, s.Block, s.ParallelLoop))}
    return jump.target not in named
