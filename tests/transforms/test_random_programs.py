"""Random programs before and after the passes: what they print is equal to the last bit.

Seeds are fixed; a failing one becomes a named program in the tests of its pass.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

from polystencil.ir.printer import print_program
from polystencil.options import Options
from polystencil.testing.equal_runs import compare_runs, compiled_run
from polystencil.testing.guarded_stencils import random_stencil_program
from polystencil.testing.loop_programs import random_loop_program
from polystencil.testing.stage_programs import random_stage_program

GENERATORS = {
    "loops": (random_loop_program, Options(transforms="none"), 100),
    "stages": (random_stage_program, Options(transforms=("fuse", "swap"), split_min_iterations=0), 160),
    "stages_all": (random_stage_program, Options(transforms="all", split_min_iterations=0, cache_bytes=2000), 40),
    "stencils": (random_stencil_program, Options(transforms=("split", "jam"), split_min_iterations=0, cache_bytes=100), 80),
}
CHUNK = 20
CHUNKS = [(kind, first) for kind, (_, _, count) in GENERATORS.items() for first in range(0, count, CHUNK)]


@pytest.mark.parametrize(("kind", "first"), CHUNKS)
def test_transformed_programs_print_the_same(kind: str, first: int, tmp_path: Path) -> None:
    generate, options, _ = GENERATORS[kind]
    for seed in range(first, first + CHUNK):
        compared = compare_runs(generate(Random(seed)), options, (seed,))
        assert not compared.difference, (kind, seed)
        if seed % CHUNK == 7 and shutil.which("gfortran") and not compared.invalid:
            assert compiled_run(print_program(compared.program), tmp_path) == compared.output, (kind, seed)


@pytest.mark.parametrize(
    ("kind", "transform", "least"), [("loops", "parallelize", 0.3), ("stages", "fuse", 0.3), ("stencils", "split", 0.8)]
)
def test_many_programs_are_really_transformed(kind: str, transform: str, least: float) -> None:
    from polystencil import pipeline
    from polystencil.testing.equal_runs import parsed

    generate, options, _ = GENERATORS[kind]
    done = 0
    for seed in range(40):
        remarks = pipeline.transform(parsed(generate(Random(seed))), options).remarks
        done += any(r.transform == transform and r.status in ("applied", "runtime-checked") for r in remarks)
    assert done >= least * 40
