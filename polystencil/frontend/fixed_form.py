"""From fixed source form to free form, line by line, so that every place keeps its line.

Blanks mean nothing in fixed form: `DO 1 0 I` and `GOTO10` are read as the standard reads them, by the first
characters of a statement without its blanks. Columns are mapped back for messages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from polystencil.errors import SourceError, Span

if TYPE_CHECKING:
    from polystencil.frontend.source import Line


_TYPE = r"(?:integer|real|complex|logical|character|doubleprecision|doublecomplex|type\(\w+\)|class\(\w+\))"


_KIND = r"(?:\*\d+|\*\(\*\)|\*\(\w+\)|\((?:[^()]|\([^()]*\))*\))?"


_PREFIX = r"(?:recursive|pure|elemental|impure|module)"


# a statement that starts so (blanks removed, lower case) is cut behind each group
_KEYWORDS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:({_PREFIX}))?(?:({_PREFIX}))?(?:({_TYPE}{_KIND}))?(?:({_PREFIX}))?(function)(?=\w+\()",
        rf"(?:({_PREFIX}))?(?:({_PREFIX}))?(subroutine)(?=\w)",
        r"(end)(program|module|submodule|subroutine|function|procedure|if|do|select|where|forall|block|associate|interface|type)(?=\w|$)",
        r"(endblockdata)(?=\w)",
        r"(program|submodule(?=\()|use(?=\w)|call(?=\w))",
        r"(module)(procedure)(?=\w)",
        r"(module)(?=\w)",
        r"(block)(data)(?=\w)",
        r"(blockdata)$",
        r"(implicit)(none)$",
        rf"(implicit)({_TYPE})(?=\()",
        rf"(implicit)({_TYPE}{_KIND})(?=\()",
        rf"({_TYPE}{_KIND})(?=[a-z])",
        r"(common|namelist|save|dimension|external|intrinsic|allocatable|pointer|target|optional|private|public|data|equivalence)(?=\w|/|\()",
        r"(intent\((?:in|out|inout)\))(?=\w)",
        r"(parameter)(?=\()",
        r"(goto)(?=\d)",
        r"(goto)(?=\()",
        r"(dowhile)(?=\()",
        r"(do)(\d+)(?=,?[a-z]\w*=)",
        r"(do)(\d+)(?=,?while\()",
        r"(doconcurrent)(?=\()",
        r"(do)(?=[a-z]\w*=)",
        r"(elseif)(?=\()",
        r"(else)(where)",
        r"(selectcase|selecttype)(?=\()",
        r"(case)(default)",
        r"(case)(?=\()",
        r"(cycle|exit|return|stop|errorstop|read|print|rewind|backspace|endfile|assign|entry|include|enddo|endif)(?=\w|\*|'|\"|\()",
    )
)


_SPACED = {
    "doubleprecision": "double precision",
    "doublecomplex": "double complex",
    "endblockdata": "end block data",
    "blockdata": "block data",
    "dowhile": "do while",
    "doconcurrent": "do concurrent",
    "elseif": "else if",
    "selectcase": "select case",
    "selecttype": "select type",
    "errorstop": "error stop",
}


_SMOOTH_IF = re.compile(r"if\(")


def free_lines_from_fixed(lines: list[Line]) -> list[Line]:
    """The lines of a fixed-form file as free-form lines; there are as many as before."""
    out = list(lines)
    statement: list[tuple[int, str, int]] = []  # (line index, text of columns 7-72, its first column)
    label = ""
    for i, line in enumerate(lines):
        raw = line.text.expandtabs(8) if "\t" in line.text else line.text
        if not raw.strip() or raw[0] in "cC*!dD" or (raw.lstrip().startswith("!") and raw.find("!") != 5):
            out[i] = _line(line, _comment(raw), None)
            continue
        if raw.startswith("#"):
            out[i] = _line(line, "", None)
            continue
        body = raw[6:72]
        if len(raw) > 5 and raw[5] not in " 0" and not raw[:5].strip():
            if not statement:
                span = Span(line.file, line.number, 6, line.number, 6)
                raise SourceError(
                    "continuation line without a line to continue",
                    span,
                    line.text,
                    "column 6 must be blank on the first line of a statement",
                )
            statement.append((i, body.ljust(66), 6))
            continue
        _flush(statement, label, lines, out)
        label = raw[:5].strip()
        if label and not label.replace(" ", "").isdigit():
            span = Span(line.file, line.number, 1, line.number, 5)
            raise SourceError(
                "columns 1 to 5 hold something else than a label",
                span,
                line.text,
                "in fixed source form statements start in column 7",
            )
        statement = [(i, body.ljust(66), 6)]
    _flush(statement, label, lines, out)
    return out


def _comment(raw: str) -> str:
    text = raw.strip()
    if len(text) > 2 and text[0] in "cC*!" and text[1] == "$":
        return "!" + text[1:]
    return ""


def _line(line: Line, text: str, columns: tuple[int, ...] | None) -> Line:
    from polystencil.frontend.source import Line as NewLine

    return NewLine(text, line.file, line.number, columns)


Char = tuple[str, int, int]  # character, line index, column


def _flush(statement: list[tuple[int, str, int]], label: str, lines: list[Line], out: list[Line]) -> None:
    if not statement:
        return
    pieces = _pieces(statement)
    chars = _spaced(pieces)
    texts: dict[int, list[tuple[str, int]]] = {index: [] for index, _, _ in statement}
    for text, index, column in chars:
        texts[index].append((text, column))
    used = [index for index, _, _ in statement if texts[index]]
    for index, _, _ in statement:
        parts = texts[index]
        content = "".join(text for text, _ in parts)
        columns = [c for text, column in parts for c in range(column, column + len(text))]
        if index == statement[0][0]:
            lead = f"{label.replace(' ', ''):<6}" if label else "      "
            content = lead + content
            columns = [*range(6), *columns]
        if used and index != used[-1] and index < used[-1] and content.strip():
            content += " &"
        out[index] = _line(lines[index], content, tuple(columns))
    statement.clear()


def _pieces(statement: list[tuple[int, str, int]]) -> list[Char]:
    """The statement as characters without blanks; a literal is one piece, on the line where it starts."""
    out: list[Char] = []
    quote = ""
    literal: list[str] = []
    at = (0, 0)
    done = False
    for index, body, first in statement:
        for k, c in enumerate(body):
            if quote:
                literal.append(c)
                if c == quote:
                    out.append(("".join(literal), *at))
                    quote = ""
            elif c in "'\"":
                quote, literal, at = c, [c], (index, first + k)
            elif c == "!" and not done:
                break
            elif c not in " \t":
                out.append((c, index, first + k))
    if quote:
        out.append(("".join(literal).rstrip(), *at))
    # a doubled quote inside a literal came out as two pieces
    merged: list[Char] = []
    for piece in out:
        if merged and piece[0][0] in "'\"" and merged[-1][0][-1] == piece[0][0] and len(merged[-1][0]) > 1:
            merged[-1] = (merged[-1][0] + piece[0], merged[-1][1], merged[-1][2])
        else:
            merged.append(piece)
    return merged


def _spaced(pieces: list[Char]) -> list[Char]:
    """Blanks put where free form needs them: behind keywords and in hollerith-free statements only."""
    flat = "".join(c if len(c) == 1 else "'" + "x" * (len(c) - 2) + "'" for c, _, _ in pieces).lower()
    cuts: set[int] = set()
    _cut(flat, 0, cuts)
    out: list[Char] = []
    position = 0
    for text, index, column in pieces:
        if position in cuts and out:
            previous, i, c = out[-1]
            out[-1] = (previous + " ", i, c)
        out.append((text, index, column))
        position += len(text)
    return out


def _cut(flat: str, start: int, cuts: set[int]) -> None:
    text = flat[start:]
    if _is_assignment(text):
        return
    if _SMOOTH_IF.match(text):
        close = _closing(text, 2)
        if close is not None and close + 1 < len(text):
            rest = text[close + 1 :]
            cuts.add(start + close + 1)
            if rest != "then" and not rest[0].isdigit():
                _cut(flat, start + close + 1, cuts)
        return
    if text.startswith(("where(", "forall(")):
        close = _closing(text, text.index("("))
        if close is not None and close + 1 < len(text):
            _cut(flat, start + close + 1, cuts)
        return
    for pattern in _KEYWORDS:
        match = pattern.match(text)
        if match is None:
            continue
        for k in range(1, (match.re.groups) + 1):
            if match.group(k) is not None:
                cuts.add(start + match.end(k))
                whole = match.group(k)
                for name, spaced in _SPACED.items():
                    if name in whole:
                        at = start + match.start(k) + whole.index(name)
                        offset = 0
                        for word in spaced.split(" ")[:-1]:
                            offset += len(word)
                            cuts.add(at + offset)
        if text.startswith("assign"):
            to = re.match(r"assign(\d+)to(?=\w)", text)
            if to:
                cuts.update({start + to.end(1), start + to.end()})
        return


def _is_assignment(text: str) -> bool:
    """The standard's rule: an `=` outside parentheses, and no comma outside them behind it."""
    if (
        text.startswith(("integer", "real", "doubleprecision", "complex", "logical", "character", "type("))
        and "::" in text
    ):
        return False
    depth = 0
    equals = False
    quoted = False
    for k, c in enumerate(text):
        if c == "'":
            quoted = not quoted
        if quoted:
            continue
        if c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
            if depth == 0 and k + 1 < len(text) and text.startswith(("if(", "where(", "forall(")):
                return text[k + 1] == "=" and text[k + 1 : k + 3] != "=="
        elif depth == 0 and c == "=" and text[k : k + 2] not in ("==", "=>") and text[k - 1 : k] not in tuple("=/<>"):
            equals = True
        elif depth == 0 and c == ",":
            return False
    return equals and not re.match(r"do\d*while\(", text)


def _closing(text: str, opening: int) -> int | None:
    depth = 0
    quoted = False
    for k in range(opening, len(text)):
        c = text[k]
        if c == "'":
            quoted = not quoted
        if quoted:
            continue
        if c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
            if depth == 0:
                return k
    return None
