"""Which arrays each launch assigns whole, noted on its loop: a device with memory of its own need not get them first.

The last step before code generation, and only for such devices: it asks isl about every parallel loop that is left.
"""

from __future__ import annotations

import dataclasses

from polystencil.ir import statements as s
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import symbol_table
from polystencil.ir.traversal import map_body, map_procedures
from polystencil.transforms.overwritten import arrays_overwritten


def note_overwritten(program: Program) -> Program:
    """The program whose parallel loops say which arrays they overwrite."""
    table = symbol_table(program)

    def statement(st: s.Statement) -> s.Body:
        if not isinstance(st, s.ParallelLoop):
            return (st,)
        found = frozenset(arrays_overwritten(st, table))
        return (dataclasses.replace(st, overwrites=found),) if found else (st,)

    def one(procedure: Procedure) -> Procedure:
        body = map_body(procedure.body, statement)
        return procedure if body is procedure.body else dataclasses.replace(procedure, body=body)

    return map_procedures(program, one)
