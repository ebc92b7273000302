"""Why a piece of program cannot be a kernel; the host program then runs it, and a remark says so."""

from __future__ import annotations

from polystencil.errors import Span


class NotLaunchable(Exception):
    """The reason in words that a user understands; `span` is the statement where known."""

    def __init__(self, reason: str, span: Span | None = None) -> None:
        super().__init__(reason)
        self.reason, self.span = reason, span
