"""Variables that are called like a keyword at the start of an assignment: `assign = 1`, `read(2) = x`.

Fortran has no reserved words; the grammar has some. Where a text does not parse, such a name is written with `_` as
its first letter - which no Fortran name has - and `restored` gives the name back.
"""

from __future__ import annotations

import re

from polystencil.frontend.statement_lines import statements_of

_WORDS = (
    "abstract", "allocate", "assign", "associate", "backspace", "bind", "call", "character", "class", "close",
    "codimension", "common", "complex", "contains", "continue", "deallocate", "dimension", "endfile", "enum",
    "equivalence", "flush", "forall", "goto", "implicit", "import", "inquire", "integer", "intent",
    "interface", "lock", "logical", "namelist", "nullify", "open", "parameter", "pause", "print", "procedure",
    "protected", "rank", "read", "return", "rewind", "then", "type", "unlock", "use", "volatile", "wait",
    "where", "write", "if", "do", "data", "real", "end", "stop", "exit", "cycle", "format", "pointer",
    "target",
)  # fmt: skip
_HIDDEN = {"_" + word[1:]: word for word in _WORDS}
_ASSIGNED = re.compile(rf"({'|'.join(_WORDS)})(?=\s*=[^=>]|\s*\((?:[^()]|\([^()]*\))*\)\s*=[^=>]|\s*%)")
_INLINE_IF = re.compile(r"if\s*\(")


def restored(name: str) -> str:
    """The name that a hidden one stands for."""
    return _HIDDEN.get(name, name)


def hide_keyword_names(source: bytes) -> bytes | None:
    """The text with such names hidden, None when there are none."""
    lines = source.decode("utf-8", "replace").split("\n")
    found = False
    for statement in statements_of(lines):
        at = _start_of_assignment(statement.code)
        if at is None:
            continue
        row, column = statement.places[at]
        line = lines[row]
        lines[row] = line[:column] + "_" + line[column + 1 :]
        found = True
    return "\n".join(lines).encode("utf-8", "replace") if found else None


def _start_of_assignment(code: str) -> int | None:
    """Where the keyword stands that an assignment writes to."""
    start = len(code) - len(re.sub(r"^\d+\s+", "", code))
    if _ASSIGNED.match(code, start):
        return start
    if _INLINE_IF.match(code, start):
        depth = 0
        for k in range(code.index("(", start), len(code)):
            depth += {"(": 1, ")": -1}.get(code[k], 0)
            if depth == 0:
                after = k + 1 + len(code[k + 1 :]) - len(code[k + 1 :].lstrip())
                return after if _ASSIGNED.match(code, after) else None
    return None
