"""Looking at programs in a notebook: pictures of domains, dependences and bands, and schedules as scripts."""

from polystencil.explore.compare import compare
from polystencil.explore.magic import load_ipython_extension
from polystencil.explore.panel import panel
from polystencil.explore.pictures import plot_bands, plot_dependences, plot_domain, plot_partition, plot_violation
from polystencil.explore.schedule import IllegalTransformError, Schedule, load_schedule, schedule
from polystencil.explore.tables import accesses, dependences, loops, remarks
from polystencil.explore.tuning import tune

__all__ = [
    "IllegalTransformError",
    "Schedule",
    "accesses",
    "compare",
    "dependences",
    "load_ipython_extension",
    "load_schedule",
    "loops",
    "panel",
    "plot_bands",
    "plot_dependences",
    "plot_domain",
    "plot_partition",
    "plot_violation",
    "remarks",
    "schedule",
    "tune",
]
