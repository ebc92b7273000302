"""Where a syntax error is and what it is.

The parser recovers from an error far from its cause. So the text is looked at again, statement by statement: open
quotes and parentheses, constructs without an end, then each statement parsed alone. Only what all of these let pass
is reported where the parser stumbled.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tree_sitter import Node

from polystencil.errors import SourceError
from polystencil.frontend.source import ParsedText
from polystencil.frontend.statement_lines import StatementText, statements_of

Parse = Callable[[bytes], Node]

_TYPE_WORDS = r"(?:integer|real|complex|logical|character|double\s*precision|type\s*\([^)]*\)|class\s*\([^)]*\))"
_KIND = r"(?:\s*\([^()]*(?:\([^()]*\)[^()]*)*\)|\s*\*\s*\d+)?"
_PREFIX = rf"(?:(?:pure|impure|elemental|recursive|module|simple|{_TYPE_WORDS}{_KIND})\s+)*"
_NAME = r"(?:\w+\s*:\s*)?"
_OPENERS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("program", r"program\s+\w+$"),
        ("module", r"module\s+(?!procedure\b|subroutine\b|function\b)\w+$"),
        ("submodule", r"submodule\s*\("),
        ("function", rf"{_PREFIX}function\s+\w+\s*\("),
        ("subroutine", rf"{_PREFIX}subroutine\s+\w+"),
        ("procedure", r"module\s+procedure\s+\w+$"),
        ("interface", r"(?:abstract\s+)?interface(?:$|\s+\w|\s*\()"),
        ("type", r"type(?:\s*,.*::\s*\w+|\s*::\s*\w+|\s+(?!is\b)\w+)(?:\s*\(.*\))?$"),
        ("do", rf"{_NAME}do(?:$|\s+(?!\d)\w|\s*\()"),
        ("if", rf"{_NAME}if\s*\(.*\)\s*then(?:\s+\w+)?$"),
        ("select", rf"{_NAME}select\s*(?:case|type|rank)\s*\("),
        ("block data", r"block\s*data\b"),
        ("block", rf"{_NAME}block$"),
        ("associate", rf"{_NAME}associate\s*\("),
        ("enum", r"enum\s*,"),
        ("where", rf"{_NAME}where\s*\(.*\)$"),
        ("forall", rf"{_NAME}forall\s*\(.*\)$"),
    )
)
_END = re.compile(
    r"end\s*(do|if|select|where|forall|block\s*data|block|associate|interface|type|program|module|submodule|subroutine"
    r"|function|procedure|enum|critical)?\b(?:\s*$|\s+\w+$|\s+(?:operator|assignment)\b.*$)"
)
_UNITS = frozenset({"program", "module", "submodule", "function", "subroutine", "procedure", "block data"})
_BETWEEN = re.compile(
    r"(?:else|case|contains|class\s+(?:is|default)|type\s+is|rank\s|private|public|procedure\b|generic\b"
    r"|final\b|import\b|module\s+procedure|sequence|enumerator|\d+\s*$)"
)
_INCOMPLETE = re.compile(r"(?:[-+*/=,(%]|\.(?:and|or|not|eqv|neqv|lt|le|gt|ge|eq|ne)\.|[<>])$")


@dataclass(frozen=True)
class _Open:
    kind: str
    statement: StatementText


def diagnose(text: ParsedText, parse: Parse) -> SourceError | None:
    """The best message for a text that does not parse, None when this look finds nothing."""
    statements = list(statements_of([line.text for line in text.lines]))
    for statement in statements:
        found = _unbalanced(text, statement)
        if found is not None:
            return found
    structure = _structure(text, statements)
    alone = _each_alone(text, statements, parse)
    if structure is None or (alone is not None and alone[0] <= structure[0]):
        structure = alone
    return None if structure is None else structure[1]


def _error(
    text: ParsedText, statement: StatementText, message: str, hint: str, at: tuple[int, int] | None = None
) -> SourceError:
    row, column = at or (statement.row, statement.column)
    last = max((c for r, c in statement.places if r == row), default=column)
    end = column + 1 if at is not None else last + 1
    span = text.span(row, column, row, end)
    return SourceError(message, span, text.source_line(span), hint)


def _unbalanced(text: ParsedText, statement: StatementText) -> SourceError | None:
    if statement.open_quote is not None:
        return _error(
            text,
            statement,
            "syntax error: this character literal is not closed",
            "add the closing quote",
            statement.open_quote,
        )
    depth: list[int] = []
    pairs = {")": "(", "]": "["}
    quoted = False
    for k, c in enumerate(statement.code):
        if c == "'":
            quoted = not quoted
        if quoted:
            continue
        if c in "([":
            depth.append(k)
        elif c in ")]":
            if not depth or statement.code[depth[-1]] != pairs[c]:
                return _error(
                    text,
                    statement,
                    f"syntax error: '{c}' without '{pairs[c]}'",
                    "remove it, or add its partner",
                    statement.places[k],
                )
            depth.pop()
    if depth:
        c = statement.code[depth[-1]]
        close = ")" if c == "(" else "]"
        return _error(
            text,
            statement,
            f"syntax error: '{c}' is not closed",
            f"add the missing '{close}'",
            statement.places[depth[-1]],
        )
    return None


def _without_label(code: str) -> str:
    return re.sub(r"^\d+\s+", "", code)


def opener_of(code: str) -> str:
    """The kind of construct or program unit that a statement opens, or nothing."""
    code = _without_label(code)
    if code.startswith("end") or (re.match(r"\w+\s*(?:\([^()]*\)\s*)?=(?!=)", code) and not re.match(r"do\s", code)):
        return ""
    for kind, pattern in _OPENERS:
        if pattern.match(code):
            if kind in ("where", "forall") and not _mask_ends(code):
                return ""
            return kind
    return ""


def _mask_ends(code: str) -> bool:
    depth = 0
    for k in range(code.index("("), len(code)):
        depth += {"(": 1, ")": -1}.get(code[k], 0)
        if depth == 0:
            return k == len(code) - 1
    return False


def _structure(text: ParsedText, statements: list[StatementText]) -> tuple[int, SourceError] | None:
    """The first construct whose end is missing, or end whose construct is."""
    stack: list[_Open] = []
    for statement in statements:
        code = _without_label(statement.code)
        end = _END.match(code)
        if end is not None:
            kind = re.sub(r"block\s*data", "block data", end.group(1) or "")
            error = _close(text, stack, statement, kind)
            if error is not None:
                return error
            continue
        kind = opener_of(statement.code)
        if kind == "procedure" and stack and stack[-1].kind == "interface":
            continue
        if kind:
            stack.append(_Open(kind, statement))
    if stack:
        last = stack[-1]
        message = f"syntax error: this {last.kind} has no 'end {last.kind}'"
        return last.statement.row, _error(text, last.statement, message, f"add 'end {last.kind}'")
    return None


def _close(text: ParsedText, stack: list[_Open], statement: StatementText, kind: str) -> tuple[int, SourceError] | None:
    wanted = _UNITS if not kind else {kind}
    if stack and stack[-1].kind in wanted:
        stack.pop()
        return None
    if any(o.kind in wanted for o in stack):
        last = stack[-1]
        message = f"syntax error: this {last.kind} has no 'end {last.kind}'"
        return statement.row, _error(text, last.statement, message, f"add it before line {statement.row + 1}")
    if not stack and (not kind or kind == "program"):
        return None  # a main program without a program statement
    return statement.row, _error(
        text,
        statement,
        f"syntax error: 'end {kind}' without '{kind}'".replace("end '", "end'"),
        f"remove it, or add the missing '{kind}' statement",
    )


def _each_alone(text: ParsedText, statements: list[StatementText], parse: Parse) -> tuple[int, SourceError] | None:
    """The first statement that does not parse by itself."""
    lines = [line.text for line in text.lines]
    for statement in statements:
        code = _without_label(statement.code)
        kind = opener_of(statement.code)
        if _END.match(code) or _BETWEEN.match(code) or (kind in _UNITS) or kind in ("interface", "type", "enum"):
            continue
        first = (
            lines[statement.row][statement.column :]
            if statement.row == statement.last_row
            else "\n".join(
                [lines[statement.row][statement.column :], *lines[statement.row + 1 : statement.last_row + 1]]
            )
        )
        if statement.row == statement.last_row:
            first = lines[statement.row][statement.column : statement.places[-1][1] + 1]
        close = f"\nend {kind}" if kind else ""
        body = "\ncase default" if kind == "select" and "case" in code else ""
        if re.match(r"\d+\s*do\b|do\s*\d", statement.code):
            continue
        root = parse(f"program p\n{first}{body}{close}\nend program p\n".encode("utf-8", "replace"))
        if not root.has_error:
            continue
        if _INCOMPLETE.search(code):
            at = statement.places[-1]
            return statement.row, _error(
                text,
                statement,
                "syntax error: the statement is not complete",
                "finish the expression, or continue the line with &",
                at,
            )
        words = statement.code.split()
        message = f"syntax error in this statement ('{' '.join(words)[:40]}')"
        return statement.row, _error(text, statement, message, "check it against the Fortran syntax")
    return None
