"""Which subroutines can be inlined where they are called from host code; one claim: their statements mean the same there.

What a call does besides its statements is refused here: what it keeps between calls, how it may leave early, what it
names that the caller cannot name.
"""

from __future__ import annotations

from polystencil.analysis.definitions import Definitions, defined_in
from polystencil.analysis.effects import effects_of
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.symbols import SymbolTable, symbols_in_body
from polystencil.ir.traversal import walk_body_expressions, walk_statements
from polystencil.ir.types import Intrinsic, ProcedureType
from polystencil.transforms.call_names import scopes_around
from polystencil.transforms.inline_refusal import NotInlined

_ALLOWED = (
    s.Assign, s.If, s.SelectCase, s.Do, s.DoWhile, s.Block, s.Exit, s.Cycle, s.Continue, s.ParallelLoop, s.Where,
    s.Write, s.Call,
)  # fmt: skip
_WORDS: dict[type, str] = {
    s.Return: "a return that is not its last statement", s.Stop: "a stop statement", s.Read: "input (read)",
    s.FileStatement: "an input/output statement", s.NamelistTransfer: "an input/output statement with a namelist",
    s.Allocate: "an allocate statement", s.Deallocate: "a deallocate statement",
    s.PointerAssign: "a pointer association", s.SelectType: "a select type construct",
    s.Forall: "a forall statement, which some compilers do not take inside of a block",
    s.CallIntrinsic: "a call of an intrinsic subroutine, whose effects are not modelled",
}  # fmt: skip
_KEPT = {"save", "pointer", "target", "volatile", "asynchronous", "allocatable"}


def has_parallel_loop(procedure: Procedure, table: SymbolTable, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a subroutine, or one that it calls, runs parallel loops."""
    if procedure.id in seen:
        return False
    for st in walk_statements(procedure.body):
        if isinstance(st, s.ParallelLoop):
            return True
        if isinstance(st, s.Call) and isinstance(st.target, x.ProcedureRef):
            inner = table.procedures.get(st.target.id)
            if inner is not None and has_parallel_loop(inner, table, seen | {procedure.id}):
                return True
    return False


def body_of(procedure: Procedure) -> s.Body:
    """The statements of a subroutine without a return at their end."""
    body = procedure.body
    return body[:-1] if body and isinstance(body[-1], s.Return) else body


def check_form(procedure: Procedure) -> None:
    """NotInlined where a call of a subroutine is more than its statements."""
    name = procedure.name
    if procedure.kind != "subroutine" or procedure.interface_only:
        raise NotInlined(f"{name} has no body here")
    if {"elemental", "impure"} & procedure.prefixes:
        raise NotInlined(f"{name} is elemental or impure")
    if "*" in procedure.dummies:
        raise NotInlined(f"{name} has an alternate return")
    if procedure.types:
        raise NotInlined(f"{name} has a derived type of its own")
    if procedure.blocks or procedure.data:
        raise NotInlined(f"{name} has variables in a common block, equivalence or data statement")
    for symbol in procedure.symbols:
        why = _dummy_trouble(symbol) if symbol.id in procedure.dummies else _local_trouble(symbol)
        if why:
            raise NotInlined(f"{name} has {why}")


def _dummy_trouble(symbol: Symbol) -> str:
    if isinstance(symbol.type, ProcedureType) or "external" in symbol.attributes:
        return f"a procedure as its argument {symbol.name}"
    for word in ("pointer", "target", "volatile", "asynchronous"):
        if word in symbol.attributes:
            return f"an argument {symbol.name} that is a {word}" if word in ("pointer", "target") else (
                f"an argument {symbol.name} that is {word}"
            )
    if isinstance(symbol.type, Intrinsic) and symbol.type.base == "character":
        return f"an argument {symbol.name} of type character"
    if any(d.upper == "*" for d in symbol.shape or ()):
        return f"an argument {symbol.name} of assumed size, which takes its elements in sequence"
    if symbol.intent == "out" and ("allocatable" in symbol.attributes or not isinstance(symbol.type, Intrinsic)):
        return f"an intent(out) argument {symbol.name} that is deallocated or initialised when it is called"
    return ""


def _local_trouble(symbol: Symbol) -> str:
    if "parameter" in symbol.attributes or "intrinsic" in symbol.attributes:
        return ""
    if symbol.block is not None:
        return f"a variable {symbol.name} in a common block or equivalence"
    if "save" in symbol.attributes or symbol.initial is not None:
        return f"a variable {symbol.name} that is kept between calls (saved)"
    found = sorted(_KEPT & symbol.attributes)
    if found:
        return f"a local variable {symbol.name} that is {found[0]}"
    if not isinstance(symbol.type, Intrinsic) or symbol.type.base == "character":
        return f"a local variable {symbol.name} that is no number or logical"
    return ""


def check_statements(procedure: Procedure, body: s.Body, table: SymbolTable) -> None:
    """NotInlined where a statement (calls of subroutines with loops opened already) is not of a kind that may move."""
    name = procedure.name
    for st in walk_statements(body):
        if not isinstance(st, _ALLOWED):
            what = _WORDS.get(type(st), f"a statement that is not inlined ({type(st).__name__.lower()})")
            raise NotInlined(f"{name} has {what}")
        if isinstance(st, s.ParallelLoop) and {v.id for v in st.locals} & set(procedure.dummies):
            raise NotInlined(f"a loop of {name} has a copy of an argument for each iteration")
        if isinstance(st, s.Block):
            for v in st.declarations:
                why = _local_trouble(v)
                if why:
                    raise NotInlined(f"{name} has {why}")
    effects = effects_of(body, table)
    if effects.unknown:
        raise NotInlined(f"in {name} {effects.unknown[0][0]}")


def own_ids(procedure: Procedure, body: s.Body) -> frozenset[str]:
    """Ids of what a subroutine declares: dummies, locals, variables of its blocks and loops."""
    return frozenset(v.id for v in (*procedure.symbols, *symbols_in_body(body)))


def check_names(procedure: Procedure, body: s.Body, caller: Procedure, table: SymbolTable) -> None:
    """NotInlined where the caller's scope cannot name what the statements name."""
    own = own_ids(procedure, body)
    here = scopes_around(caller, table)
    order = list(table.modules)
    home = next((id for id in here if id in table.modules), None)
    defined = defined_in(body, table).ids
    for e in walk_body_expressions(body):
        if isinstance(e, x.StructureConstructor):
            raise NotInlined(f"{procedure.name} builds a value of derived type")
        if not isinstance(e, (x.Ref, x.ProcedureRef)) or e.id in own:
            continue
        if isinstance(e, x.ProcedureRef):
            target = table.procedures.get(e.id)
            where = target.host if target is not None else ""
            name = target.name if target is not None else e.id
        else:
            where, name = table.owner.get(e.id, ""), e.id.rsplit(".", 1)[-1]
        if where is None or where in here:
            continue
        if where not in table.modules:
            raise NotInlined(f"{procedure.name} names {name}, which cannot be named where it is called")
        if home is not None and order.index(where) > order.index(home):
            raise NotInlined(f"{procedure.name} names {name} of a module that {home} does not come after")
        symbol = table.symbols.get(e.id)
        if symbol is not None and "protected" in symbol.attributes and e.id in defined:
            raise NotInlined(f"{procedure.name} assigns {name}, which is protected in its module")


def definitions_of(procedure: Procedure, body: s.Body, table: SymbolTable) -> Definitions:
    """What a call defines, in the subroutine's own names; whole arrays that only keep their shape are not reshaped."""
    found = defined_in(body, table)

    def may_change_shape(id: str) -> bool:
        symbol = next((v for v in procedure.symbols if v.id == id), None)
        plain = symbol is not None and "allocatable" not in symbol.attributes and isinstance(symbol.type, Intrinsic)
        return not plain

    return Definitions(found.ids, found.unknown, found.paths, frozenset(filter(may_change_shape, found.reshaped)))
