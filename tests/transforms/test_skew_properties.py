"""Random time loops give the same bits with and without skewing, for every size of the bands."""

from __future__ import annotations

import io
from random import Random

import pytest

import polystencil as ps
from polystencil import pipeline
from polystencil.ir.program import Program
from polystencil.options import Options
from polystencil.testing.time_loop_programs import random_time_loop


def output(program: Program, **order: object) -> str:
    from polystencil.ir.interpreter import run_program

    out = io.StringIO()
    assert run_program(program, stdout=out, **order) == 0  # type: ignore[arg-type]  # the order of iterations
    return out.getvalue()


@pytest.mark.parametrize("seed", range(60))
def test_same_bits(seed: int) -> None:
    random = Random(seed)
    made = random_time_loop(random)
    program = ps.parse(made.text, name=f"steps_{seed}.f90")
    wanted = output(program)
    for cache in (random.choice((64, 200, 600)), 1 << 30):
        transforms = random.choice((("skew",), ("skew", "split", "jam"), ("fuse", "swap", "skew", "split", "jam")))
        options = Options(transforms=transforms, cache_bytes=cache, split_min_iterations=0)
        transformed = pipeline.transform(program, options)
        assert output(transformed.program, parallel_order="random", seed=seed) == wanted, (transforms, cache)


def test_many_are_really_skewed() -> None:
    skewed = 0
    for seed in range(60):
        program = ps.parse(random_time_loop(Random(seed)).text, name="steps.f90")
        options = Options(transforms=("skew",), cache_bytes=64, split_min_iterations=0)
        remarks = pipeline.transform(program, options).remarks
        skewed += any(
            r.transform == "skew" and r.status == "runtime-checked" and r.details.get("runtime_choice") == "transformed"
            for r in remarks
        )
    assert skewed >= 24
