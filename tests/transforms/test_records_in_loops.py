"""Plain loops over array components of a record are judged by component, as those over arrays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from polystencil.remarks import Remark

PROGRAM = Path(__file__).parent / "parallelize_programs" / "array_components_of_records.f90"
PARALLEL = {16, 20, 34, 35, 43, 63}
IN_ORDER = {23, 27, 30, 39, 47}


def test_decisions_and_output(same: Callable[..., tuple[Remark, ...]]) -> None:
    for transforms in ("none", "all"):
        remarks = [r for r in same(PROGRAM.read_text(), transforms) if r.transform == "parallelize"]
        assert {r.span.line for r in remarks if r.status == "applied"} == PARALLEL
        refused = {r.span.line: r for r in remarks if r.status == "refused"}
        assert set(refused) >= IN_ORDER
        assert all(refused[line].witness for line in IN_ORDER)
