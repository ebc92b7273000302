"""How programs, loops, verdicts, remarks and executables show themselves in a notebook (after `%load_ext`)."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

from polystencil.explore.tables import Table, loops, remarks
from polystencil.ir.printer import print_program
from polystencil.ir.program import Program, Selected
from polystencil.ir.traversal import procedures_of
from polystencil.proofs.verdicts import Proven, Refuted, Unknown
from polystencil.remarks import Remark

COLOURS = {"Proven": "#009e73", "Refuted": "#d55e00", "Unknown": "#999999"}


def program_html(program: Program) -> str:
    """Modules, procedures and the Fortran text."""
    rows = tuple((p.id, p.kind, str(p.span.line)) for p in procedures_of(program) if not p.interface_only)
    text = html.escape(print_program(program))
    table = Table(("procedure", "kind", "line"), rows)._repr_html_()
    return f"{table}<details><summary>Fortran</summary><pre>{text}</pre></details>"


def selected_html(selected: Selected) -> str:
    """The loops of a procedure."""
    return f"<b>{html.escape(selected.procedure.id)}</b>{loops(selected)._repr_html_()}"


def verdict_html(verdict: Proven | Refuted | Unknown) -> str:
    """The verdict with its claim, and the witness or the reason."""
    name = type(verdict).__name__
    more = ""
    if isinstance(verdict, Refuted):
        more = html.escape(verdict.reason)
        if verdict.witness is not None:
            rows = tuple((k, str(v)) for k, v in verdict.witness.as_json().items() if v not in ("", [], {}))
            more += Table(("witness", ""), rows)._repr_html_()
    elif isinstance(verdict, Unknown):
        more = html.escape(verdict.why)
    return f"<b style='color:{COLOURS[name]}'>{name}</b>: {html.escape(verdict.claim)}<br>{more}"


def executable_html(executable: Any) -> str:
    """Kernels, host program and remarks of an executable."""
    kernels = "".join(
        f"<details><summary>kernel {html.escape(k.name)}</summary><pre>{html.escape(k.source)}</pre></details>"
        for k in executable.kernels
    )
    host = f"<details><summary>host program</summary><pre>{html.escape(executable.host_source)}</pre></details>"
    rows = f"<details><summary>remarks</summary>{remarks(executable.remarks)._repr_html_()}</details>"
    return kernels + host + rows


def register(shell: Any) -> None:
    """Tell IPython how to show our objects."""
    formatter = shell.display_formatter.formatters["text/html"]
    shown: tuple[tuple[type, Callable[[Any], str]], ...] = (
        (Program, program_html), (Selected, selected_html), (Proven, verdict_html), (Refuted, verdict_html),
        (Unknown, verdict_html), (Remark, lambda r: remarks([r])._repr_html_()),
    )  # fmt: skip
    for kind, show in shown:
        formatter.for_type(kind, show)
    formatter.for_type_by_name("polystencil.runtime.executable", "Executable", executable_html)
