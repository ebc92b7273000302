"""What host statements read and define, by one walker that knows every kind of statement or says that it does not.

Used for the statements between the launches of a time loop (section "Producer-consumer fusion" of the pass document):
what is not modelled has unknown effects, and nothing is assumed about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from polystencil.analysis.definitions import base_id, is_pure
from polystencil.errors import Span
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import (
    child_expressions,
    nested_bodies,
    walk_body_expressions,
    walk_expression,
    walk_statements,
)
from polystencil.ir.types import Record
from polystencil.ir.typing import type_of


@dataclass(eq=False)
class Effects:
    """`reads` and `defines` are ids of variables (whole); `unknown` says what has effects that are not modelled."""

    reads: set[str] = field(default_factory=set)
    defines: set[str] = field(default_factory=set)
    unknown: list[tuple[str, Span]] = field(default_factory=list)


def effects_of(body: s.Body, table: SymbolTable) -> Effects:
    """The effects of running `body`."""
    out = Effects()
    for st in walk_statements(body):
        _statement(st, table, out)
    return out


def self_contained(procedure: Procedure, table: SymbolTable, seen: frozenset[str] = frozenset()) -> str:
    """Why a procedure is not self-contained; empty when it names only its own dummies, locals and constants."""
    if procedure.id in seen:
        return ""
    if procedure.interface_only:
        return f"{procedure.name} has no body here, so it is not known to be self-contained"
    own = {v.id for v in procedure.symbols} | {
        v.id for st in walk_statements(procedure.body) for v in (st.declarations if isinstance(st, s.Block) else ())
    }
    own |= {v.id for st in walk_statements(procedure.body) if isinstance(st, s.ParallelLoop) for v in st.locals}
    for e in walk_body_expressions(procedure.body):
        if isinstance(e, x.Ref) and e.id not in own:
            symbol = table.symbols.get(e.id)
            if symbol is None or "parameter" not in symbol.attributes:
                name = e.id.rsplit(".", 1)[-1]
                return f"{procedure.name} is not self-contained: it names the variable {name} of a module or host"
    for v in procedure.symbols:
        if v.block is not None or ("save" in v.attributes and "parameter" not in v.attributes):
            return f"{procedure.name} is not self-contained: {v.name} is kept between calls"
    for target in called_targets(procedure.body):
        inner = table.procedures.get(getattr(target, "id", ""))
        if inner is None:
            return f"{procedure.name} calls a procedure that is not known, so it is not self-contained"
        why = self_contained(inner, table, seen | {procedure.id})
        if why:
            return why
    return ""


def called_targets(body: s.Body) -> Iterator[x.Expression]:
    """The targets of all calls in a body."""
    for st in walk_statements(body):
        if isinstance(st, s.Call):
            yield st.target
    for e in walk_body_expressions(body):
        if isinstance(e, x.FunctionCall):
            yield e.target


def named_in_calls(body: s.Body, table: SymbolTable) -> frozenset[str]:
    """Ids of everything that the procedures called in a body name, through others too: those would not see a copy."""
    todo = [getattr(t, "id", "") for t in called_targets(body)]
    seen: set[str] = set()
    out: set[str] = set()
    while todo:
        id = todo.pop()
        if id in seen or id not in table.procedures:
            continue
        seen.add(id)
        procedure = table.procedures[id]
        out |= {e.id for e in walk_body_expressions(procedure.body) if isinstance(e, x.Ref)}
        bounds = [b for v in procedure.symbols for d in v.shape or () for b in (d.lower, d.upper) if isinstance(b, x.Expression)]
        out |= {e.id for b in bounds for e in walk_expression(b) if isinstance(e, x.Ref)}
        todo += [getattr(t, "id", "") for t in called_targets(procedure.body)]
    return frozenset(out)


def does_io(procedure: Procedure, table: SymbolTable, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a procedure, or one that it calls, reads or writes files or the terminal."""
    if procedure.id in seen:
        return False
    io = (s.Write, s.Read, s.FileStatement, s.NamelistTransfer)
    if any(isinstance(st, io) for st in walk_statements(procedure.body)):
        return True
    targets = (table.procedures.get(getattr(t, "id", "")) for t in called_targets(procedure.body))
    return any(t is None or does_io(t, table, seen | {procedure.id}) for t in targets)


def _statement(st: s.Statement, table: SymbolTable, out: Effects) -> None:
    def define(e: x.Expression | None) -> None:
        if e is not None and (id := base_id(e)) is not None:
            out.defines.add(id)

    def unknown(what: str) -> None:
        out.unknown.append((f"the effects of {what} are not modelled (unknown)", st.span))

    match st:
        case s.Assign():
            define(st.target)
        case s.Do():
            define(st.index)
        case s.DoWhile() | s.If() | s.SelectCase() | s.Continue() | s.Exit() | s.Cycle():
            pass
        case s.Block():
            out.defines.update(v.id for v in st.declarations)
        case s.ParallelLoop():
            for i in st.indices:
                define(i.ref)
        case s.Where() | s.Forall():
            pass
        case s.Write():
            _write(st, define, unknown)
        case s.Call():
            _call(st, table, define, unknown)
        case _:
            unknown(_WORDS.get(type(st), f"a {type(st).__name__.lower()} statement"))
    for top in child_expressions(st):
        for e in walk_expression(top):
            _expression(e, st, table, out)


Define = Callable[[x.Expression | None], None]

_WORDS: dict[type, str] = {
    s.Read: "input (read)", s.Allocate: "an allocate statement", s.Deallocate: "a deallocate statement",
    s.PointerAssign: "a pointer association", s.CallIntrinsic: "a call of an intrinsic subroutine",
    s.NamelistTransfer: "a namelist in an input/output statement", s.FileStatement: "an input/output statement",
    s.SelectType: "a select type construct", s.Stop: "a stop statement (the loop is left early)",
    s.Return: "a return statement (the loop is left early)",
}  # fmt: skip


def _write(st: s.Write, define: Define, unknown: Callable[[str], None]) -> None:
    for key, _ in st.controls:
        if key not in ("advance", "fmt", "rec", "pos", "decimal", "sign"):
            unknown(f"a write statement with {key}= (an input/output specifier)")
    if st.unit is not None and base_id(st.unit) is not None and not isinstance(st.unit, (x.Literal, x.NamedConstant)):
        t = type_of(st.unit)
        if getattr(t, "base", "") == "character":
            define(st.unit)
    for item in st.items:
        if any(isinstance(e, x.ImpliedDo) for e in walk_expression(item)):
            if isinstance(item, x.ImpliedDo):
                unknown("a write statement with an implied do in its output list")
        if isinstance(type_of(item), Record):
            unknown("a write statement with an item of derived type (user-defined output)")


def _call(st: s.Call, table: SymbolTable, define: Define, unknown: Callable[[str], None]) -> None:
    procedure = table.procedures.get(st.target.id) if isinstance(st.target, x.ProcedureRef) else None
    if procedure is None:
        unknown("a type-bound or procedure-pointer call")
        return
    if not is_pure(procedure):
        unknown(f"a call of {procedure.name}, an impure subroutine,")
        return
    _define_by_intent(procedure, st.arguments, table, define)


def _define_by_intent(
    procedure: Procedure, arguments: tuple[x.Expression | None, ...], table: SymbolTable, define: Define
) -> None:
    for dummy_id, a in zip(procedure.dummies, arguments, strict=False):
        dummy = table.symbols.get(dummy_id)
        if a is None or (dummy is not None and (dummy.intent == "in" or "value" in dummy.attributes)):
            continue
        define(a)


def _expression(e: x.Expression, st: s.Statement, table: SymbolTable, out: Effects) -> None:
    if isinstance(e, x.Ref):
        out.reads.add(e.id)
    if not isinstance(e, x.FunctionCall):
        return
    procedure = table.procedures.get(e.target.id) if isinstance(e.target, x.ProcedureRef) else None
    if procedure is None:
        out.unknown.append(("the effects of a type-bound or procedure-pointer call are not modelled (unknown)", st.span))
        return
    if not is_pure(procedure) and (self_contained(procedure, table) or does_io(procedure, table)):
        out.unknown.append((f"the effects of a call of {procedure.name}, which is not pure, are unknown", st.span))
        return
    _define_by_intent(procedure, e.arguments, table, lambda a: out.defines.add((a is not None and base_id(a)) or ""))


def leaves_loop(body: s.Body, name: str) -> str:
    """How a do loop may be left early or an iteration cut short; empty when neither happens."""
    inner = {getattr(i, "name", "") for i in walk_statements(body)}
    for st in walk_statements(body):
        match st:
            case s.Exit() | s.Cycle() if st.target == name or st.target not in inner:
                word = "exit" if isinstance(st, s.Exit) else "cycle"
                return f"the loop around them is left early or cut short by {word}"
            case s.Return():
                return "the loop around them is left early by return"
            case s.Stop():
                return "the loop around them is left early by stop"
            case _:
                pass
    return ""


def bodies_of(st: s.Statement) -> tuple[s.Body, ...]:
    """The statement lists directly inside a statement."""
    return tuple(nested_bodies(st))
