"""Names of intrinsic functions: no variable may hide those that moved statements use, or that bounds become."""

from __future__ import annotations

from collections.abc import Sequence

from polystencil.frontend.intrinsic_names import FUNCTIONS, SPECIFIC
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Symbol
from polystencil.ir.symbols import SymbolTable, symbols_in_body
from polystencil.ir.traversal import walk_body_expressions, walk_expression
from polystencil.transforms.inline_refusal import NotInlined


def free_name(name: str) -> str:
    """A name for a variable of a block: another one where an intrinsic function is called so."""
    return f"{name}_value" if name in FUNCTIONS or name in SPECIFIC else name


def check_intrinsics(body: s.Body, declared: Sequence[Symbol], caller: Procedure, table: SymbolTable) -> None:
    """NotInlined where a variable that the caller sees has the name of an intrinsic function that the statements use."""
    bounds = (b for v in declared for d in v.shape or () for b in (d.lower, d.upper) if isinstance(b, x.Expression))
    nodes = [*walk_body_expressions(body), *(n for b in bounds for n in walk_expression(b))]
    used = {n.name for n in nodes if isinstance(n, x.IntrinsicCall)}
    for scope in scopes_around(caller, table):
        if scope in table.procedures:
            procedure = table.procedures[scope]
            names = {v.name for v in (*procedure.symbols, *symbols_in_body(procedure.body))}
            names |= {p.name for p in procedure.contained}
        else:
            module = table.modules[scope]
            names = {v.name for v in module.symbols} | {p.name for p in module.procedures}
        if used & names:
            raise NotInlined(f"it uses the intrinsic function {min(used & names)}, and so is something called at its call")


def scopes_around(caller: Procedure, table: SymbolTable) -> list[str]:
    """Ids of a procedure and of what it stands in, from the inside outwards."""
    out = [caller.id]
    while (host := table.procedures[out[-1]].host if out[-1] in table.procedures else None) is not None:
        out.append(host)
    return out
