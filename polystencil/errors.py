"""Every exception and every located message: file:line:column, the source line, a caret, and what to do.

>>> text = SourceText("heat.f90", "x = 1\\ny = x +\\n")
>>> print(render("syntax error", Span("heat.f90", 2, 7, 2, 7), text.line(2), "complete the expression"))
heat.f90:2:7: syntax error
    2 | y = x +
      |       ^
  hint: complete the expression
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """A place in a source file; lines and columns count from 1, the end column is inclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


NOWHERE = Span("<generated>", 0, 0, 0, 0)


@dataclass(frozen=True)
class SourceText:
    """The text of one file as the user wrote it."""

    name: str
    text: str

    def line(self, number: int) -> str:
        """Line `number` (from 1) without its line end; empty where the file has no such line."""
        lines = self.text.splitlines()
        return lines[number - 1] if 0 < number <= len(lines) else ""


def render(message: str, span: Span | None, source_line: str = "", hint: str = "") -> str:
    """The message as a user reads it."""
    out = [message if span is None else f"{span.file}:{span.line}:{span.column}: {message}"]
    if span is not None and source_line:
        number = str(span.line)
        out.append(f"{number:>5} | {source_line}")
        width = 1
        if span.end_line == span.line:
            width = max(1, min(span.end_column, len(source_line)) - span.column + 1)
        lead = "".join("\t" if c == "\t" else " " for c in source_line[: span.column - 1])
        out.append(f"      | {lead}{'^' * width}")
    if hint:
        out.append(f"  hint: {hint}")
    return "\n".join(out)


class PolystencilError(Exception):
    """Base of all errors that a user can cause; `str()` is the located message, ready to print."""

    def __init__(self, message: str, span: Span | None = None, source_line: str = "", hint: str = "") -> None:
        super().__init__(render(message, span, source_line, hint))
        self.message, self.span, self.source_line, self.hint = message, span, source_line, hint


class SourceError(PolystencilError):
    """The source is not valid Fortran (syntax, unknown name, wrong type)."""


class UnsupportedError(PolystencilError):
    """Valid Fortran that polystencil does not hold yet; nothing of it is ever dropped instead."""


class UsageError(PolystencilError):
    """A wrong option, file or argument."""


class DeviceError(PolystencilError):
    """No device, or a kernel that the device's compiler refuses."""


class FortranRuntimeError(PolystencilError):
    """What a Fortran run-time library stops for: bounds, allocation state, input/output."""


class FortranStop(Exception):
    """`stop` or `error stop` reached by the program; not an error of ours.

    `code` is the exit status, `text` what goes to standard error (empty for a quiet stop).
    """

    def __init__(self, code: int, text: str = "") -> None:
        super().__init__(text)
        self.code, self.text = code, text
