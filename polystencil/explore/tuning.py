"""Search over legal schedules with Optuna (an established tuner with pruning and reproducible samplers).

Every candidate is a choice of passes and sizes that the proofs accept; what is timed is a call of the procedure.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polystencil import pipeline
from polystencil.door import options_of
from polystencil.errors import UsageError
from polystencil.ir.program import Selected

CHOICES = ("none", "fuse", "fuse,swap", "split", "fuse,swap,split", "fuse,swap,split,jam", "all")
CACHES = tuple(1 << k for k in range(20, 27))


@dataclass(frozen=True)
class Tuned:
    """The best choice found, its time in seconds, and all trials."""

    transforms: str
    cache_bytes: int
    seconds: float
    trials: tuple[tuple[str, int, float], ...]
    source: str

    def save(self, path: str | Path) -> None:
        """Write it for `polystencil.compile(..., tuned=path)`."""
        data = {"version": 1, "source": self.source, "transforms": self.transforms, "cache_bytes": self.cache_bytes,
                "seconds": self.seconds}  # fmt: skip
        Path(path).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def tune(
    what: Selected, arguments: Callable[[], tuple[Any, ...]], *, trials: int = 12, repeat: int = 3, seed: int = 0,
    progress: bool = True,
) -> Tuned:  # fmt: skip
    """The fastest of `trials` schedules for calls of a procedure; `arguments` makes fresh arguments for a call."""
    try:
        import optuna
    except ImportError:
        raise UsageError("tuning needs Optuna", hint="pip install 'polystencil[notebook]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    seen: dict[tuple[str, int], float] = {}

    def objective(trial: Any) -> float:
        transforms = trial.suggest_categorical("transforms", CHOICES)
        cache = trial.suggest_categorical("cache_bytes", CACHES)
        key = (transforms, cache)
        if key not in seen:
            seen[key] = _seconds(what, transforms, cache, arguments, repeat)
        return seen[key]

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=trials, show_progress_bar=progress)
    best = study.best_params
    rows = tuple(sorted(((t, c, s) for (t, c), s in seen.items()), key=lambda r: r[2]))
    return Tuned(best["transforms"], best["cache_bytes"], study.best_value, rows, what.program.source_hash)


def _seconds(
    what: Selected, transforms: str, cache: int, arguments: Callable[[], tuple[Any, ...]], repeat: int
) -> float:
    options = options_of(transforms=transforms, cache_bytes=cache, split_min_iterations=0)
    call = pipeline.executable(what.program, options)[what.procedure.name]
    call(*arguments())
    best = float("inf")
    for _ in range(repeat):
        given = arguments()
        began = time.perf_counter()
        call(*given)
        best = min(best, time.perf_counter() - began)
    return best
