"""One output record under construction: positions, tabs, and what has really been written."""

from __future__ import annotations

from polystencil.semantics.io.failure import END_OF_RECORD, TransferFailure


class Record:
    """Text with a position that T, TL, TR and X move; only what was written counts for its length."""

    def __init__(self, limit: int | None = None) -> None:
        self.text, self.at, self.limit = bytearray(), 0, limit

    def put(self, piece: bytes) -> None:
        """Write at the position, over what is there; an empty piece, too, makes blanks of what T and X skipped."""
        end = self.at + len(piece)
        if self.limit is not None and end > self.limit:
            raise TransferFailure(END_OF_RECORD, "End of record")
        if self.at > len(self.text):
            self.text.extend(b" " * (self.at - len(self.text)))
        self.text[self.at : end] = piece
        self.at = end

    def move_to(self, position: int) -> None:
        """To a position from 0; never before the start."""
        self.at = max(0, position)

    def reset(self) -> None:
        """Start the next record."""
        self.text.clear()
        self.at = 0
