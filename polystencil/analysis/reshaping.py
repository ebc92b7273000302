"""Which variables a region of statements may give another shape or allocation, themselves or in a component."""

from __future__ import annotations

from polystencil.analysis.designated import base_id
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, walk_expression, walk_statements
from polystencil.ir.types import Intrinsic, Record
from polystencil.ir.typing import type_of


def reshaped_in(body: s.Body, table: SymbolTable) -> set[str]:
    """Variables whose shape or allocation a body may change, themselves or in a component."""
    out: set[str] = set()

    def note(e: x.Expression | None) -> None:
        if e is not None and (id := base_id(e)) is not None:
            out.add(id)

    def arguments(target: x.Expression, given: tuple[x.Expression | None, ...]) -> None:
        procedure = table.procedures.get(target.id) if isinstance(target, x.ProcedureRef) else None
        for k, a in enumerate(given):
            dummy = None
            if procedure is not None and k < len(procedure.dummies):
                dummy = table.symbols.get(procedure.dummies[k])
            plain = dummy is not None and not {"allocatable", "pointer"} & dummy.attributes and (
                isinstance(dummy.type, Intrinsic) or dummy.intent == "in"
            )
            if not plain and not (isinstance(a, x.Element) and isinstance(type_of(a), Intrinsic)):
                note(a)

    for st in walk_statements(body):
        match st:
            case s.Assign() if isinstance(st.target, (x.Ref, x.Component)) or isinstance(type_of(st.target), Record):
                note(st.target)
            case s.PointerAssign():
                note(st.target)
            case s.Allocate():
                for allocation in st.allocations:
                    note(allocation.object)
            case s.Deallocate():
                for o in st.objects:
                    note(o)
            case s.CallIntrinsic() if st.name == "move_alloc":
                for a in st.arguments:
                    note(a)
            case s.Call():
                arguments(st.target, st.arguments)
            case s.Block() | s.SelectType():
                pass
            case _:
                pass
        for top in child_expressions(st):
            for e in walk_expression(top):
                if isinstance(e, x.FunctionCall):
                    arguments(e.target, e.arguments)
    return out
