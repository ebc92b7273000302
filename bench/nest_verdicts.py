"""How often does a proof say Proven, Refuted or Unknown on random nests, and is it ever wrong?

    python bench/nest_verdicts.py FIRST COUNT SECONDS OUT.json

Every verdict is compared with brute-force enumeration (`polystencil.testing.verdicts`). Three of four nests hold
guarded assignments of array elements only, the fourth has scalars, records, calls, sections, exits and inner loops.
The tally is written after every 100 nests, so that a run can be stopped at any time.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from random import Random

from polystencil.testing.nests import random_nest
from polystencil.testing.verdicts import Tally, compare_with_enumeration


def main(first: int, count: int, seconds: float, out: Path) -> None:
    """Compare `count` nests from seed `first` on, for at most `seconds`."""
    tally, start, done = Tally(), time.perf_counter(), 0
    for seed in range(first, first + count):
        compare_with_enumeration(random_nest(Random(seed), max_depth=2 + (seed % 10 == 0), plain=seed % 4 != 0), tally, (seed,))
        done += 1
        if done % 100 == 0 or time.perf_counter() - start > seconds:
            write(out, first, done, tally)
        if time.perf_counter() - start > seconds:
            break
    write(out, first, done, tally)


def write(out: Path, first: int, done: int, tally: Tally) -> None:
    """The tally so far."""
    found = {"first": first, "nests": done, "wrong": tally.wrong, "verdicts": tally.verdicts, "unknown": tally.unknown}
    out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4]))
