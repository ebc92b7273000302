"""The error of input and output: a run-time error with the iostat that gfortran gives."""

from __future__ import annotations

from polystencil.errors import FortranRuntimeError

END_OF_FILE, END_OF_RECORD, BAD_VALUE = -1, -2, 5010


class TransferFailure(FortranRuntimeError):
    """`iostat` is what `iostat=` receives, `message` what `iomsg=` does."""

    def __init__(self, iostat: int, message: str) -> None:
        super().__init__(message)
        self.iostat = iostat
        self.taken = 0  # characters read before the failure, for size=
