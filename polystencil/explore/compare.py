"""Two programs side by side as Fortran, with what changed marked."""

from __future__ import annotations

import difflib
import html
from dataclasses import dataclass

from polystencil.explore.schedule import Schedule
from polystencil.ir.printer import print_program
from polystencil.ir.program import Program


@dataclass(frozen=True)
class Comparison:
    """The texts before and after."""

    before: str
    after: str

    def _repr_html_(self) -> str:
        left, right = [], []
        for line in difflib.ndiff(self.before.splitlines(), self.after.splitlines()):
            mark, text = line[:1], html.escape(line[2:]) or "&nbsp;"
            if mark == "-":
                left.append(f"<span style='background:#fdd'>{text}</span>")
            elif mark == "+":
                right.append(f"<span style='background:#dfd'>{text}</span>")
            elif mark == " ":
                longest = max(len(left), len(right))
                left += ["&nbsp;"] * (longest - len(left))
                right += ["&nbsp;"] * (longest - len(right))
                left.append(text)
                right.append(text)
        cells = "".join(
            f"<td style='text-align:left;vertical-align:top'><pre>{chr(10).join(side)}</pre></td>" for side in (left, right)
        )
        return f"<table><tr><th>before</th><th>after</th></tr><tr>{cells}</tr></table>"

    def __str__(self) -> str:
        return "\n".join(difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), "before", "after", lineterm=""))

    __repr__ = __str__


def compare(before: Program | Schedule, after: Program | Schedule) -> Comparison:
    """The Fortran of two programs or schedules side by side."""
    return Comparison(_text(before), _text(after))


def _text(what: Program | Schedule) -> str:
    return what.show() if isinstance(what, Schedule) else print_program(what)
