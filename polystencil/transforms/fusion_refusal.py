"""Why two loops are not fused."""

from __future__ import annotations

from typing import Any

from polystencil.proofs.verdicts import Refuted, Unknown, Verdict


class NotFused(Exception):
    """The loops stay as they are; the message says why, `verdict` is the claim that failed, if one was asked."""

    def __init__(self, reason: str, verdict: Verdict | None = None) -> None:
        super().__init__(reason)
        self.verdict = verdict

    @property
    def claim(self) -> str:
        """The claim that was not proven."""
        return self.verdict.claim if self.verdict is not None else ""

    @property
    def witness(self) -> dict[str, Any] | None:
        """The counterexample, where there is one."""
        if isinstance(self.verdict, Refuted) and self.verdict.witness is not None:
            return self.verdict.witness.as_json()
        return None


def refused(verdict: Verdict) -> NotFused:
    """A refusal for a claim that was not proven."""
    if isinstance(verdict, Refuted):
        return NotFused(verdict.reason, verdict)
    return NotFused(verdict.why if isinstance(verdict, Unknown) else "", verdict)
