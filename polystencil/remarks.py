"""What was decided about a loop, and why: the rows of `polystencil explain`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from typing import Literal as OneOf

from polystencil.errors import Span

Status = OneOf["applied", "runtime-checked", "refused", "not-applicable"]


@dataclass(frozen=True)
class Remark:
    """One decision. `transform` is a pass, or parallelize, inline, race, bounds.

    `span` is the loop's `do` statement (the producer's for fuse and swap, whose consumer is `with_span`). `reason`
    is a sentence; `claim` the statement that was proven or not; `witness` a counterexample by field; `details` are
    further fields of the report (interior, params, cost, private, reductions, chain_lines, ...).
    """

    transform: str
    status: Status
    span: Span
    procedure: str
    reason: str
    claim: str = ""
    witness: dict[str, Any] | None = field(default=None, compare=False)
    with_span: Span | None = None
    details: dict[str, Any] = field(default_factory=dict, compare=False)


def as_json(remark: Remark) -> dict[str, Any]:
    """The remark as an entry of `remarks` in `explain --json` (version 1)."""
    return {
        "transform": remark.transform,
        "status": remark.status,
        "file": remark.span.file,
        "line": remark.span.line,
        "with_line": None if remark.with_span is None else remark.with_span.line,
        "procedure": remark.procedure,
        "reason": remark.reason,
        "claim": remark.claim,
        "witness": remark.witness,
        **remark.details,
    }
