"""Tables for notebooks and terminals: loops, accesses, dependences and remarks, with source lines."""

from __future__ import annotations

import html
from collections.abc import Iterable
from dataclasses import dataclass

from polystencil.explore.schedule_target import Target, program_of, table_of
from polystencil.ir import statements as s
from polystencil.ir.printer.expressions import print_expression
from polystencil.ir.printer.names import Names
from polystencil.ir.program import Procedure
from polystencil.ir.traversal import walk_statements
from polystencil.polyhedral.dependences import conflicts, groups_inside
from polystencil.polyhedral.model import build_model
from polystencil.remarks import Remark

MOST_ROWS = 200


@dataclass(frozen=True)
class Table:
    """Rows under a header; HTML in a notebook, aligned text elsewhere."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def _repr_html_(self) -> str:
        head = "".join(f"<th style='text-align:left'>{html.escape(h)}</th>" for h in self.header)
        body = "".join(
            "<tr>" + "".join(f"<td style='text-align:left'><code>{html.escape(c)}</code></td>" for c in row) + "</tr>"
            for row in self.rows[:MOST_ROWS]
        )
        more = f"<p>{len(self.rows) - MOST_ROWS} more rows</p>" if len(self.rows) > MOST_ROWS else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def __str__(self) -> str:
        widths = [max(len(r[k]) for r in (self.header, *self.rows)) for k in range(len(self.header))]
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
                 for row in (self.header, *self.rows)]  # fmt: skip
        return "\n".join(lines)

    __repr__ = __str__


def _source(procedure: Procedure, target: Target, line: int) -> str:
    for text in program_of(target).sources:
        if text.name == procedure.span.file:
            return text.line(line).strip()
    return ""


def loops(target: Target) -> Table:
    """Every loop of a procedure: line, indices with bounds, kind, source."""
    procedure = target.procedure
    names = Names(table_of(target))
    rows = []
    for st in walk_statements(procedure.body):
        if isinstance(st, s.Do):
            bounds = f"{st.index.id.rsplit('.', 1)[-1]} = {print_expression(st.lower, names)}:{print_expression(st.upper, names)}"
            rows.append((str(st.span.line), bounds, "do", _source(procedure, target, st.span.line)))
        elif isinstance(st, s.ParallelLoop):
            bounds = ", ".join(
                f"{i.ref.id.rsplit('.', 1)[-1]} = {print_expression(i.lower, names)}:{print_expression(i.upper, names)}"
                for i in st.indices
            )
            rows.append((str(st.span.line), bounds, "do concurrent", _source(procedure, target, st.span.line)))
    return Table(("line", "indices", "kind", "source"), tuple(rows))


def accesses(target: Target, line: int) -> Table:
    """Every access inside the loop at a line, with its relation from iterations to elements (may form)."""
    from polystencil.explore.loop_steps import find_loop

    loop = find_loop(target.procedure, line)
    model = build_model((loop,), table_of(target), target.procedure.id)
    rows = [
        (str(a.span.line), "write" if a.is_write else "read", a.array.rsplit(".", 1)[-1], str(a.may), a.why or "exact")
        for a in model.accesses
        if a.loops
    ]
    return Table(("line", "kind", "array", "relation", "form"), tuple(rows))


def dependences(target: Target, line: int) -> Table:
    """Pairs of accesses whose iterations of the loop at a line may meet, by level."""
    from polystencil.explore.loop_steps import find_loop

    loop = find_loop(target.procedure, line)
    table = table_of(target)
    model = build_model((loop,), table, target.procedure.id)
    rows = []
    for level in model.loops:
        for group in groups_inside(model, level, table).values():
            for d in conflicts(group, level.position, level.position, table):
                kind = "output" if d.second.is_write else "flow or anti"
                rows.append(
                    (level.index.rsplit(".", 1)[-1], kind, d.first.array.rsplit(".", 1)[-1],
                     f"{d.first.span.line} -> {d.second.span.line}", str(d.may))
                )  # fmt: skip
    return Table(("carried by", "kind", "array", "lines", "pairs of iterations"), tuple(rows))


def remarks(rows: Iterable[Remark]) -> Table:
    """Remarks as a table."""
    out = []
    for r in rows:
        witness = "" if not r.witness else ", ".join(f"{k} {v}" for k, v in r.witness.items() if v not in ("", [], {}, None))
        out.append((str(r.span.line), r.transform, r.status, r.reason, witness))
    return Table(("line", "transform", "status", "reason", "witness"), tuple(out))
