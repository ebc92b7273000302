"""From source files to the text that is parsed, with a map back to the lines that the user wrote.

The steps are: preprocessor (when the suffix or a definition asks for it), `include` lines, fixed form to free form.
Each keeps, for every line of its output, the file and line that it came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polystencil.errors import SourceError, SourceText, Span
from polystencil.frontend.fixed_form import free_lines_from_fixed

FIXED_SUFFIXES = frozenset({".f", ".for", ".f77", ".ftn", ".fpp"})


_PREPROCESSED = frozenset({".F", ".FOR", ".F77", ".FTN", ".FPP", ".F90", ".F95", ".F03", ".F08", ".F18", ".fpp"})


_INCLUDE = re.compile(r"""^\s*include\s*(?:'([^']*)'|"([^"]*)")\s*(?:!.*)?$""", re.IGNORECASE)


_INCLUDE_LIMIT = 50


@dataclass(frozen=True)
class Line:
    """One line of the text that is parsed, and where it stood. `columns` maps columns where they were moved."""

    text: str
    file: str
    number: int
    columns: tuple[int, ...] | None = None


@dataclass
class ParsedText:
    """The free-form text of one file given by the user, includes expanded."""

    name: str
    lines: list[Line]
    files: dict[str, SourceText] = field(default_factory=dict)

    def bytes(self) -> bytes:
        """What the parser reads: always ends with a line end."""
        return "".join(line.text + "\n" for line in self.lines).encode("utf-8", "replace")

    def span(self, row: int, column: int, end_row: int, end_column: int) -> Span:
        """The place in the user's file of zero-based parser rows and columns (the end exclusive)."""
        if not self.lines:
            return Span(self.name, 1, 1, 1, 1)
        if end_column == 0 and end_row > row:
            end_row, end_column = end_row - 1, 10**6
        first = self.lines[min(row, len(self.lines) - 1)]
        last = self.lines[min(end_row, len(self.lines) - 1)]
        begin = _original_column(first, column)
        if last.file != first.file or last.number < first.number:
            return Span(first.file, first.number, begin, first.number, begin)
        end = _original_column(last, min(end_column, max(1, len(last.text))) - 1)
        return Span(first.file, first.number, begin, last.number, max(end, begin) if first is last else end)

    def source_line(self, span: Span) -> str:
        """The line of the user's file at a span."""
        text = self.files.get(span.file)
        return text.line(span.line) if text is not None else ""


def _original_column(line: Line, column: int) -> int:
    if line.columns is None:
        return column + 1
    if column < len(line.columns):
        return line.columns[column] + 1
    return (line.columns[-1] + 2) if line.columns else 1


def is_fixed_form(name: str) -> bool:
    """Whether a file name says fixed source form."""
    return Path(name).suffix.lower() in FIXED_SUFFIXES


def read_source(source: SourceText | str | Path, defines: Mapping[str, str], include_dirs: Sequence[str]) -> ParsedText:
    """The text to parse of one source."""
    if isinstance(source, SourceText):
        name, text = source.name, source.text
    else:
        name = str(source)
        text = read_text(Path(source))
    parsed = ParsedText(name, [], {name: SourceText(name, text)})
    fixed = is_fixed_form(name)
    if Path(name).suffix in _PREPROCESSED or (defines and "#" in text):
        from polystencil.frontend.preprocess import preprocess

        lines = preprocess(parsed.files[name], fixed, defines, include_dirs, parsed.files)
    else:
        lines = [Line(t, name, n) for n, t in enumerate(text.splitlines(), 1)]
        for line in lines:
            if line.text.startswith("#"):
                span = Span(name, line.number, 1, line.number, len(line.text))
                hint = "rename the file to .F90 (or .F), or give a -D definition, to have it preprocessed"
                raise SourceError("preprocessor directive in a source that is not preprocessed", span, line.text, hint)
    lines = list(_with_includes(lines, include_dirs, parsed.files, 0))
    parsed.lines = free_lines_from_fixed(lines) if fixed else lines
    return parsed


def read_text(path: Path) -> str:
    """The text of a file; bytes that are not UTF-8 are taken as Latin-1."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(
            f"cannot read {path}: {error.strerror or error}", hint="check the name of the file"
        ) from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _with_includes(
    lines: Iterable[Line], include_dirs: Sequence[str], files: dict[str, SourceText], depth: int
) -> Iterable[Line]:
    for line in lines:
        match = _INCLUDE.match(line.text) if "nclude" in line.text.lower() else None
        if match is None:
            yield line
            continue
        wanted = match.group(1) or match.group(2) or ""
        span = Span(line.file, line.number, 1, line.number, max(1, len(line.text)))
        if depth >= _INCLUDE_LIMIT:
            raise SourceError("include lines nest too deeply", span, line.text, "does a file include itself?")
        path = find_include(wanted, line.file, include_dirs)
        if path is None:
            hint = "give the directory of the file with -I"
            raise SourceError(f"included file '{wanted}' not found", span, line.text, hint)
        name = str(path)
        text = read_text(path)
        files[name] = SourceText(name, text)
        inner = [Line(t, name, n) for n, t in enumerate(text.splitlines(), 1)]
        yield from _with_includes(inner, include_dirs, files, depth + 1)


def find_include(wanted: str, from_file: str, include_dirs: Sequence[str]) -> Path | None:
    """The included file: beside the file that includes it, then in the given directories."""
    for directory in (str(Path(from_file).parent), *include_dirs):
        path = Path(directory) / wanted
        if path.is_file():
            return path
    return None
