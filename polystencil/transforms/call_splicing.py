"""From instances of bodies next to each other to one block, in which their loops stand side by side.

Copies of arguments go before the loops that they follow where they read nothing that those write; variables come into
being when the block begins, so the bounds of arrays may not read anything assigned before their place. Nothing else moves.
"""

from __future__ import annotations

from collections.abc import Sequence

from polystencil.analysis.definitions import defined_in, is_pure
from polystencil.analysis.effects import effects_of, self_contained
from polystencil.analysis.storage import POINTED, root_class
from polystencil.errors import NOWHERE, Span
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import walk_body_expressions, walk_expression, walk_statements
from polystencil.ir.types import Intrinsic
from polystencil.transforms.call_instance import Instance
from polystencil.transforms.fusion_paths import shapes_in, touched, values_in


def spliced(pieces: Sequence[s.Statement | Instance], table: SymbolTable, span: Span) -> s.Body:
    """The pieces one after the other, with the variables of all of them in one block."""
    out = _Splicing(table)
    for piece in pieces:
        out.add(piece)
    if not out.declared:
        return tuple(out.statements)
    return (s.Block(tuple(out.declared), tuple(out.statements), span=span),)


class _Splicing:
    def __init__(self, table: SymbolTable) -> None:
        self.table = table
        self.declared: list[Symbol] = []
        self.statements: list[s.Statement] = []

    def add(self, piece: s.Statement | Instance) -> None:
        if isinstance(piece, s.Block) and not piece.name:
            piece = Instance(piece.declarations, (), piece.body)
        if not isinstance(piece, Instance):
            self.statements.append(piece)
            return
        if not all(self.may_begin_earlier(v) for v in piece.declared):
            made = (*piece.copies, *piece.body)
            self.statements.append(s.Block(piece.declared, made, span=made[0].span if made else NOWHERE))
            return
        self.declared += piece.declared
        for copy in piece.copies:
            self.copy(copy)
        for st in piece.body:
            self.add(st)

    def may_begin_earlier(self, v: Symbol) -> bool:
        """Whether a variable may come into being with the block: its bounds are the same then, and nothing starts it."""
        if "parameter" in v.attributes:
            return True
        plain = isinstance(v.type, Intrinsic) and v.type.base != "character"
        if v.initial is not None or {"save", "allocatable", "pointer", "target"} & v.attributes or not plain:
            return False
        bounds = [b for d in v.shape or () for b in (d.lower, d.upper) if isinstance(b, x.Expression)]
        own = {d.id for d in self.declared if "parameter" not in d.attributes}
        if any(isinstance(e, x.Ref) and e.id in own for b in bounds for e in walk_expression(b)):
            return False
        return not bounds or not self.changed(bounds, tuple(self.statements))

    def copy(self, copy: s.Statement) -> None:
        """Put a copy of an argument before the loops right before it, or here."""
        at = len(self.statements)
        while at and isinstance(self.statements[at - 1], s.ParallelLoop):
            at -= 1
        passed = tuple(self.statements[at:])
        moves = isinstance(copy, s.Assign) and not self.changed([copy.value], passed)
        self.statements.insert(at if moves else len(self.statements), copy)

    def of_arguments(self, e: x.FunctionCall) -> bool:
        """Whether a function gives the same for the same arguments, and cannot stop the program."""
        procedure = self.table.procedures.get(e.target.id) if isinstance(e.target, x.ProcedureRef) else None
        if procedure is None or not is_pure(procedure) or self_contained(procedure, self.table):
            return False
        return not any(isinstance(st, (s.Stop, s.Call)) for st in walk_statements(procedure.body)) and not any(
            isinstance(i, x.FunctionCall) for i in walk_body_expressions(procedure.body)
        )

    def changed(self, read: list[x.Expression], body: s.Body) -> bool:
        """Whether what expressions read, or that they can be evaluated, may depend on statements."""
        if any(isinstance(e, x.FunctionCall) and not self.of_arguments(e) for r in read for e in walk_expression(r)):
            return bool(body)
        if not body:
            return False
        found = defined_in(body, self.table)
        if found.unknown or effects_of(body, self.table).unknown:
            return True
        if {v for r in read for v in shapes_in(r)} & found.reshaped:
            return True
        reads = {v for r in read for v in values_in(r)}
        shared = self.shared(reads) & self.shared(set(found.paths))
        return bool(shared) or bool(touched(reads, found.paths))

    def shared(self, paths: set[str]) -> set[str]:
        """The storage of paths that other names have as well."""
        classes = {root_class(p, self.table) for p in paths}
        return {c for c in classes if c == POINTED or c.startswith("block ")}
