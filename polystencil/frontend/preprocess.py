"""The C preprocessor (pcpp) on Fortran text.

What C would read differently is hidden from it and put back afterwards: character literals, comments, and the
concatenation operator `//`. Macros therefore never expand inside a literal.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pcpp

from polystencil.errors import SourceError, SourceText, Span
from polystencil.frontend.source import Line, read_text

_HIDDEN = re.compile(r"__hidden_fortran_(\d+)__")


_LINE = re.compile(r'^#line (\d+)(?: "(.*)")?$')


_PIECE = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|'[^']*$|"[^"]*$|!.*|//""")


class _Preprocessor(pcpp.Preprocessor):  # type: ignore[misc]  # pcpp has no types
    def __init__(self, hider: _Hider, files: dict[str, SourceText]) -> None:
        super().__init__()
        self.line_directive = "#line"
        self._hider, self._files = hider, files

    def on_error(self, file: str, line: int, msg: str) -> None:
        text = self._files[file].line(line) if file in self._files else ""
        raise SourceError(f"preprocessor: {msg}", Span(file, max(1, line), 1, max(1, line), max(1, len(text))), text)

    def on_include_not_found(self, _malformed: bool, _system: bool, _directory: str, includepath: str) -> None:
        line = self.lastdirective.lineno if self.lastdirective is not None else 1
        file = self.lastdirective.source if self.lastdirective is not None else ""
        text = self._files[file].line(line) if file in self._files else ""
        span = Span(file, line, 1, line, max(1, len(text)))
        raise SourceError(f"included file '{includepath}' not found", span, text, "give its directory with -I")

    def on_directive_handle(self, directive, toks, ifpassthru, precedingtoks):  # type: ignore[no-untyped-def]  # pcpp's signature
        if directive.value not in ("define", "undef", "include", "error", "warning", "line", "pragma"):
            return super().on_directive_handle(directive, toks, ifpassthru, precedingtoks)
        super().on_directive_handle(directive, toks, ifpassthru, precedingtoks)
        return True

    def read_include_file(self, filepath: str) -> str:
        text = read_text(Path(filepath))
        self._files[filepath] = SourceText(filepath, text)
        return self._hider.hide(text)


class _Hider:
    def __init__(self, fixed: bool) -> None:
        self._fixed = fixed
        self._pieces: list[str] = []

    def hide(self, text: str) -> str:
        return "\n".join(self._line(line) for line in text.splitlines()) + "\n"

    def show(self, line: str) -> str:
        return _HIDDEN.sub(lambda m: self._pieces[int(m.group(1))], line)

    def _line(self, line: str) -> str:
        if line.lstrip().startswith("#"):
            return line
        if self._fixed and line[:1] in tuple("cC*dD"):
            return self._keep(line)
        return _PIECE.sub(lambda m: self._keep(m.group()), line)

    def _keep(self, piece: str) -> str:
        self._pieces.append(piece)
        return f"__hidden_fortran_{len(self._pieces) - 1}__"


def preprocess(
    source: SourceText,
    fixed: bool,
    defines: Mapping[str, str],
    include_dirs: Sequence[str],
    files: dict[str, SourceText],
) -> list[Line]:
    """The preprocessed lines, each with the place it came from."""
    hider = _Hider(fixed)
    processor = _Preprocessor(hider, files)
    for directory in include_dirs:
        processor.add_path(str(directory))
    for name, value in defines.items():
        processor.define(f"{name} {value if value != '' else '1'}")
    processor.parse(hider.hide(source.text), source.name)
    out = io.StringIO()
    processor.write(out)
    lines: list[Line] = []
    file, number = source.name, 1
    for raw in out.getvalue().splitlines():
        match = _LINE.match(raw)
        if match is not None:
            number = int(match.group(1))
            file = match.group(2) or file
            continue
        lines.append(Line(hider.show(raw), file, number))
        number += 1
    return lines
