"""Pictures with matplotlib: iteration domains, dependence arrows, the interior and the frame, bands over time.

Every picture is for chosen parameter values and is capped in size; a note in the title says so. Domains of three
dimensions are shown by their two innermost ones. `ax` may be given to draw into an existing picture.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import islpy as isl

from polystencil.errors import UsageError
from polystencil.explore.loop_steps import find_loop
from polystencil.explore.points import pairs_of, points_of
from polystencil.explore.schedule_target import Target, table_of
from polystencil.ir import statements as s
from polystencil.polyhedral.dependences import conflicts, groups_inside, ordered
from polystencil.polyhedral.model import build_model

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN, RED, GREY = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#999999"
MOST_ARROWS = 400


def _axes(ax: Axes | None, wide: float = 5.0, high: float = 4.0) -> Axes:
    import matplotlib.pyplot as plt

    if ax is not None:
        return ax
    _, new = plt.subplots(figsize=(wide, high), layout="constrained")
    return new


def _flat(point: tuple[int, ...]) -> tuple[int, int]:
    """Where a point is drawn: (innermost, next) for two and more dimensions, on a line for one."""
    return (point[-1], point[-2]) if len(point) > 1 else (point[0], 0)


def _label(ax: Axes, names: list[str], title: str) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_xlabel(names[-1])
    if len(names) > 1:
        ax.set_ylabel(names[-2])
    else:
        ax.set_yticks([])
        ax.set_ylim(-1.5, 1.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if len(names) > 1:
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_title(title, fontsize=10)


def _nest(target: Target, line: int) -> tuple[Any, list[Any], list[str], Any]:
    """Model, loops of the deepest nest, their names, and the table."""
    loop = find_loop(target.procedure, line)
    table = table_of(target)
    model = build_model((loop,), table, target.procedure.id)
    deepest = max(model.loops, key=lambda l: l.position)
    chain = [l for a in model.accesses for l in [a.loops] if l and l[-1] is deepest]
    loops = list(chain[0]) if chain else [deepest]
    return model, loops, [l.index.rsplit(".", 1)[-1] for l in loops], table


def plot_domain(target: Target, line: int, parameters: Mapping[str, int] | None = None, ax: Axes | None = None) -> Axes:
    """The iteration domain of the loop nest at a source line."""
    model, loops, names, _ = _nest(target, line)
    found = points_of(model.domains[loops[-1].number][0], parameters or {})
    ax = _axes(ax)
    flat = [_flat(p) for p in found.values]
    ax.scatter([p[0] for p in flat], [p[1] for p in flat], s=16, color=BLUE, label="iteration", zorder=3)
    _label(ax, names, f"iteration domain, line {line}" + (" (first points only)" if found.capped else ""))
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    return ax


def plot_dependences(
    target: Target, line: int, parameters: Mapping[str, int] | None = None, ax: Axes | None = None
) -> Axes:
    """The domain with an arrow from every iteration to those that must run after it (may dependences)."""
    values = parameters or {}
    model, loops, _, table = _nest(target, line)
    ax = plot_domain(target, line, values, ax)
    arrows: set[tuple[tuple[int, int], tuple[int, int]]] = set()
    capped = False
    directions = tuple(l.direction or 1 for l in loops)
    for group in groups_inside(model, loops[0], table).values():
        if not group[0].may.dim(isl.dim_type.out):
            continue  # scalars that every iteration touches would draw every arrow
        full = [a for a in group if len(a.loops) == len(loops)]
        for d in conflicts(full, 0, len(loops) - 1, table):
            for m in (d.may, d.may.reverse()):
                pairs, more = pairs_of(ordered(m, 0, directions), values, MOST_ARROWS)
                capped |= more
                arrows |= {(_flat(a), _flat(b)) for a, b in pairs}
    shown = sorted(arrows)[:MOST_ARROWS]
    for a, b in shown:
        ax.annotate("", xy=b, xytext=a, zorder=2,
                    arrowprops={"arrowstyle": "->", "color": ORANGE, "lw": 1.1, "shrinkA": 3, "shrinkB": 3})  # fmt: skip
    note = " (some arrows left out)" if capped or len(arrows) > len(shown) else ""
    ax.plot([], [], color=ORANGE, label="must run before")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    ax.set_title(f"dependences, line {line}{note}", fontsize=10)
    return ax


def plot_violation(
    target: Target, line: int, witness: Mapping[str, Any], parameters: Mapping[str, int] | None = None,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """The domain with the two iterations of a witness and the arrow between them, in red."""
    values = {**witness.get("parameters", {}), **(parameters or {})}
    ax = plot_domain(target, line, values, ax)
    first, second = (tuple(i) for i in witness["iterations"][:2])
    a, b = _flat(first), _flat(second)
    ax.annotate("", xy=b, xytext=a, zorder=4, arrowprops={"arrowstyle": "->", "color": RED, "lw": 2.2})
    ax.scatter([a[0], b[0]], [a[1], b[1]], s=50, color=RED, zorder=5, label=str(witness.get("conflict", "conflict")))
    element = ", ".join(map(str, witness.get("subscript", ())))
    ax.set_title(f"{first} and {second} meet in {witness.get('array', '')}({element})", fontsize=10)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    return ax


def plot_partition(
    target: Target, line: int, parameters: Mapping[str, int] | None = None, ax: Axes | None = None
) -> Axes:
    """Interior and frame that splitting makes of the parallel loop at a line."""
    from polystencil.transforms.index_tests import BodyWalk, loop_scope
    from polystencil.transforms.inline import Inliner
    from polystencil.transforms.margins import bounds_of, find_margins

    loop = find_loop(target.procedure, line)
    if not isinstance(loop, s.ParallelLoop):
        raise UsageError(f"the loop at line {line} is no do concurrent")
    table = table_of(target)
    inliner = Inliner(table, f"{target.procedure.id}.picture")
    body = inliner.body(loop.body)
    for v in inliner.symbols:
        table.symbols[v.id] = v
        table.owner[v.id] = target.procedure.id
    scope = loop_scope(loop, body, table, target.procedure.id)
    bounds = bounds_of(loop, scope)
    if bounds is None:
        raise UsageError("a bound of the loop is not affine")
    none = (0,) * len(loop.indices)
    walk = BodyWalk(scope, bounds.inner(none, none), table)
    walk.body(body)
    margins = find_margins(walk.tests, bounds)
    interior = bounds.inner(margins.low, margins.high)
    frame = bounds.inner(none, none).subtract(interior)
    ax = _axes(ax)
    for points, colour, name in ((interior, GREEN, "interior"), (frame, ORANGE, "frame")):
        found = points_of(points, parameters or {})
        flat = [_flat(p) for p in found.values]
        ax.scatter([p[0] for p in flat], [p[1] for p in flat], s=18, color=colour, label=name, marker="s")
    names = [i.ref.id.rsplit(".", 1)[-1] for i in loop.indices]
    _label(ax, names, f"margins low {margins.low}, high {margins.high}")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)
    return ax


def plot_bands(
    rows: int, launches: int, height: int, sigma: int, first: int = 1, ax: Axes | None = None
) -> Axes:
    """Which band runs each row of each launch: the skewed windows of `proofs.order`, coloured by band."""
    import matplotlib.pyplot as plt

    ax = _axes(ax, 6.0, 3.6)
    bands = max(0, (rows - 1) // height)
    grid = [
        [min(max((r + k * sigma) // height, 0), bands) for r in range(rows)] for k in range(launches)
    ]
    image = ax.imshow(
        grid, origin="lower", aspect="auto", cmap=plt.get_cmap("viridis", bands + 1), interpolation="nearest",
        extent=(first - 0.5, first + rows - 0.5, -0.5, launches - 0.5),
    )  # fmt: skip
    bar = ax.figure.colorbar(image, ax=ax, ticks=range(bands + 1))
    bar.set_label("band, in the order in which they run")
    ax.set_xlabel("row")
    ax.set_ylabel("launch in a replay")
    ax.set_title(f"bands of {height} rows, shifted by {sigma} a launch", fontsize=10)
    return ax
