"""Which form of a loop ran where a check at run time decides, as a field of the loop's remarks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polystencil.remarks import Remark, as_json

FOLLOWERS = {"swap": "fuse"}  # what a pass did together with another one's loop


def remarks_with_choices(
    remarks: Sequence[Remark], choices: Sequence[tuple[str, str, tuple[int, ...]]], counts: Sequence[int]
) -> list[dict[str, Any]]:
    """All remarks as in `explain --json`; those with a check that ran also have `runtime_choice` and its counts.

    `runtime_choice` is "transformed" where the transformed form ran at all: the last iteration of a time loop may run
    the original one.
    """
    totals: dict[tuple[str, str, int], list[int]] = {}
    for k, (transform, file, lines) in enumerate(choices):
        for line in lines:
            total = totals.setdefault((transform, file, line), [0, 0])
            total[0] += counts[2 * k]
            total[1] += counts[2 * k + 1]
    out = []
    for remark in remarks:
        entry = as_json(remark)
        key = (FOLLOWERS.get(remark.transform, remark.transform), remark.span.file, remark.span.line)
        taken = totals.get(key)
        if taken is not None and any(taken) and remark.status in ("applied", "runtime-checked"):
            entry["runtime_choice"] = "transformed" if taken[0] else "original"
            entry["runtime_counts"] = {"transformed": taken[0], "original": taken[1]}
        out.append(entry)
    return out
