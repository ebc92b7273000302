"""What every pass gives back: the rewritten program and a remark for every loop it considered."""

from __future__ import annotations

from dataclasses import dataclass

from polystencil.ir.program import Program
from polystencil.remarks import Remark


@dataclass(frozen=True)
class PassResult:
    """`program` after the pass (the same object where nothing changed)."""

    program: Program
    remarks: tuple[Remark, ...]
