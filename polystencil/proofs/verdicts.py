"""Answers of proofs: Proven, Refuted with a witness, or Unknown with what stood in the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from polystencil.errors import Span


@dataclass(frozen=True, eq=False)
class Witness:
    """A counterexample: parameter values, the iterations that meet, the array element, and where they stand."""

    parameters: tuple[tuple[str, int], ...]
    iterations: tuple[tuple[int, ...], ...]
    array: str
    subscript: tuple[int, ...]
    spans: tuple[Span, ...]
    conflict: str = ""

    def as_json(self) -> dict[str, Any]:
        """The witness as the report has it."""
        return {
            "parameters": dict(self.parameters),
            "iterations": [list(i) for i in self.iterations],
            "array": self.array,
            "subscript": list(self.subscript),
            "lines": [s.line for s in self.spans],
            "conflict": self.conflict,
        }


@dataclass(frozen=True, eq=False)
class Proven:
    """The claim holds for all values of its parameters."""

    claim: str
    formula: str = ""


@dataclass(frozen=True, eq=False)
class Refuted:
    """The claim is false, and `witness` shows it."""

    claim: str
    reason: str
    witness: Witness | None
    formula: str = ""


@dataclass(frozen=True, eq=False)
class Unknown:
    """Neither: `why` says which expression stood in the way, or that the budget ran out."""

    claim: str
    why: str
    span: Span | None = None


Verdict = Proven | Refuted | Unknown
