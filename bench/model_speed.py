"""How long does the polyhedral core take: model and dependences of every loop nest of the acceptance applications?

    python bench/model_speed.py [-o FILE.json]

Prints, per application and in all, the median and the largest time to build the model of an outermost loop nest and to
judge all of its loops, and the longest single query.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from polystencil.door import parse
from polystencil.ir import statements as s
from polystencil.ir.program import Program
from polystencil.ir.symbols import symbol_table
from polystencil.ir.traversal import nested_bodies, procedures_of
from polystencil.polyhedral.model import build_model
from polystencil.proofs import budget, independence
from polystencil.transforms.loop_scalars import loop_scalars

TESTS = Path(__file__).resolve().parents[1] / "tests" / "cases"


def nests_of(body: s.Body) -> list[s.Do | s.ParallelLoop]:
    """The outermost loops of a body, wherever they stand."""
    out: list[s.Do | s.ParallelLoop] = []
    for st in body:
        if isinstance(st, (s.Do, s.ParallelLoop)):
            out.append(st)
        else:
            for inner in nested_bodies(st):
                out += nests_of(inner)
    return out


def measure(program: Program, longest: list[float]) -> list[float]:
    """Milliseconds for each nest."""
    table = symbol_table(program)
    times = []
    for procedure in procedures_of(program):
        for nest in nests_of(procedure.body):
            began = time.perf_counter()
            model = build_model((nest,), table, procedure.id)
            for loop in model.loops:
                body = getattr(loop.statement, "body", ())
                scalars = loop_scalars(model, loop, body, table)
                ignored = frozenset(scalars.private) | frozenset(scalars.reductions)
                independence.independent(model, (loop,), table, ignored)
            times.append((time.perf_counter() - began) * 1e3)
    del longest
    return times


def timed_queries(longest: list[float]) -> None:
    """Note the longest query that goes through the budget."""
    original: Callable[..., Any] = budget.within_budget

    def within(query: Callable[[], Any], *rest: Any) -> Any:
        began = time.perf_counter()
        try:
            return original(query, *rest)
        finally:
            longest[0] = max(longest[0], (time.perf_counter() - began) * 1e3)

    independence.within_budget = within  # type: ignore[assignment]  # the same shape


def main() -> int:
    """Measure all applications."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", dest="output", type=Path)
    given = parser.parse_args()
    longest = [0.0]
    timed_queries(longest)
    rows: dict[str, list[float]] = {}
    for entry in json.loads((TESTS / "index.json").read_text(encoding="utf-8")):
        if entry["group"] == "B":
            rows[entry["name"]] = measure(parse([TESTS / f for f in entry["files"]]), longest)
    everything = [t for times in rows.values() for t in times]
    for name, times in rows.items():
        print(f"{name:24s} {len(times):3d} nests  median {statistics.median(times):7.2f} ms  largest {max(times):7.2f} ms")
    print(f"{'all':24s} {len(everything):3d} nests  median {statistics.median(everything):7.2f} ms  "
          f"largest {max(everything):7.2f} ms  longest query {longest[0]:.2f} ms")  # fmt: skip
    if given.output:
        data = {"nests": len(everything), "median_ms": statistics.median(everything), "largest_ms": max(everything),
                "longest_query_ms": longest[0], "by_application_ms": rows}  # fmt: skip
        given.output.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
