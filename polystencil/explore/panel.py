"""A panel of switches: passes on and off, with remarks, kernels and the Fortran after them. Text where widgets lack."""

from __future__ import annotations

from typing import Any

from polystencil import pipeline
from polystencil.door import options_of
from polystencil.explore.tables import Table, remarks
from polystencil.ir.printer import print_program
from polystencil.ir.program import Program
from polystencil.options import PASSES


def what_happens(program: Program, passes: tuple[str, ...], cache_bytes: int | None = None) -> tuple[Table, str]:
    """The remarks and the Fortran text for a choice of passes."""
    options = options_of(transforms=passes or "none", cache_bytes=cache_bytes, split_min_iterations=0)
    transformed = pipeline.transform(program, options)
    return remarks(transformed.remarks), print_program(transformed.program)


def panel(program: Program) -> Any:
    """Switches for the passes; without ipywidgets, the table of remarks for all passes."""
    try:
        import ipywidgets as widgets
    except ImportError:
        return what_happens(program, PASSES)[0]
    switches = [widgets.ToggleButton(value=True, description=name, layout={"width": "80px"}) for name in PASSES]
    cache = widgets.IntText(value=32 << 20, description="cache", layout={"width": "200px"})
    table, text = widgets.HTML(), widgets.HTML()

    def update(*_: Any) -> None:
        import html

        chosen = tuple(name for name, b in zip(PASSES, switches, strict=True) if b.value)
        rows, fortran = what_happens(program, chosen, cache.value)
        table.value = rows._repr_html_()
        text.value = f"<pre>{html.escape(fortran)}</pre>"

    for control in (*switches, cache):
        control.observe(update, names="value")
    update()
    tabs = widgets.Tab(children=[table, text], titles=["remarks", "Fortran"])
    return widgets.VBox([widgets.HBox([*switches, cache]), tabs])
