"""Whether the value of a scalar may be read after a statement before it is written again.

Structured code only needs one walk forward from the statement: through the rest of its list, round the loops that
hold it, and on to the end of the procedure.
"""

from __future__ import annotations

from typing import Literal as OneOf

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

Use = OneOf["read", "written", "neither"]


def live_after(statement: s.Statement, id: str, procedure: Procedure, table: SymbolTable) -> bool:
    """Whether the variable `id` may be read after `statement` of `procedure` has run."""
    symbol = table.symbols[id]
    if table.owner.get(id) != procedure.id or {"save", "pointer", "target", "result"} & symbol.attributes:
        return True
    if symbol.block is not None or symbol.initial is not None or ("dummy" in symbol.attributes and symbol.intent != "in"):
        return True
    if id == procedure.result or any(_reads_body(c.body, id) for c in procedure.contained):
        return True
    use, found = _from(procedure.body, statement, id)
    return not found or use == "read"


def _reads_body(body: s.Body, id: str) -> bool:
    return any(isinstance(e, x.Ref) and e.id == id for e in walk_body_expressions(body))


def _from(body: s.Body, statement: s.Statement, id: str) -> tuple[Use, bool]:
    """How what follows `statement` inside `body` first uses the variable, and whether it is in there."""
    for k, st in enumerate(body):
        if st is statement:
            return first_use(body[k + 1 :], id), True
        for inner in nested_bodies(st):
            use, found = _from(inner, statement, id)
            if not found:
                continue
            if use != "neither":
                return use, True
            if isinstance(st, (s.Do, s.DoWhile)):
                again = _loop_round(st, id)
                if again == "read":
                    return "read", True
            return first_use(body[k + 1 :], id), True
    return "neither", False


def _loop_round(st: s.Do | s.DoWhile, id: str) -> Use:
    """How the next iteration of a loop uses the variable."""
    if isinstance(st, s.DoWhile) and _reads(st.condition, id):
        return "read"
    if isinstance(st, s.Do) and st.index.id == id:
        return "read"
    return first_use(st.body, id)


def first_use(body: s.Body, id: str) -> Use:
    """Whether running `body` may read the variable before it writes it, surely writes it first, or neither."""
    for st in body:
        use = _statement(st, id)
        if use != "neither":
            return use
        if any(isinstance(i, (s.Exit, s.Cycle, s.Return)) for i in walk_statements((st,))):
            # some paths leave here: what follows may or may not run, so only a read further on can count
            rest = body[body.index(st) + 1 :]
            return "read" if _mentions(rest, id) else "neither"
    return "neither"


def _mentions(body: s.Body, id: str) -> bool:
    return _reads_body(body, id)


def _statement(st: s.Statement, id: str) -> Use:
    match st:
        case s.Assign():
            if _reads(st.value, id):
                return "read"
            if isinstance(st.target, x.Ref):
                return "written" if st.target.id == id else "neither"
            return "read" if _reads(st.target, id) else "neither"
        case s.Do():
            if any(_reads(e, id) for e in (st.lower, st.upper, st.step)):
                return "read"
            if st.index.id == id:
                return "written"
            return "read" if first_use(st.body, id) == "read" else "neither"
        case s.ParallelLoop():
            for i in st.indices:
                if any(_reads(e, id) for e in (i.lower, i.upper, i.step)):
                    return "read"
            if any(i.ref.id == id for i in st.indices) or any(v.id == id for v in st.locals):
                return "read" if id in st.local_init else "neither"
            if st.mask is not None and _reads(st.mask, id):
                return "read"
            return "read" if first_use(st.body, id) == "read" else "neither"
        case s.DoWhile():
            inner = _reads(st.condition, id) or first_use(st.body, id) == "read"
            return "read" if inner else "neither"
        case s.If():
            return _if(st, id)
        case s.Block():
            return first_use(st.body, id)
        case _:
            if any(_reads(e, id) for e in child_expressions(st)) or any(_mentions(b, id) for b in nested_bodies(st)):
                return "read"
            return "neither"


def _if(st: s.If, id: str) -> Use:
    uses: list[Use] = []
    for branch in st.branches:
        if _reads(branch.condition, id):
            return "read"
        uses.append(first_use(branch.body, id))
    uses.append(first_use(st.otherwise, id))
    if "read" in uses:
        return "read"
    return "written" if all(u == "written" for u in uses) else "neither"


def _reads(e: x.Expression, id: str) -> bool:
    return any(isinstance(n, x.Ref) and n.id == id for n in walk_expression(e))
