"""Every call that can be opened is, fused or not: the program prints the same."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from random import Random

import pytest

from polystencil import pipeline
from polystencil.ir import statements as s
from polystencil.ir.printer import print_program
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import symbol_table
from polystencil.ir.traversal import map_body, map_procedures
from polystencil.options import Options
from polystencil.testing.called_stage_programs import random_called_stages
from polystencil.testing.equal_runs import compiled_run, interpreted, parsed
from polystencil.transforms.call_instance import called, instance_of
from polystencil.transforms.inline_refusal import NotInlined

FOLDER = Path(__file__).parent / "opened_programs"
PROGRAMS = {path.stem: path.read_text() for path in sorted(FOLDER.glob("*.f90"))}


def all_opened(source: Program) -> tuple[Program, int]:
    """The program with every call of a kernel subroutine opened that can be, and their number."""
    program = dict(pipeline.transform(source, Options(transforms="none")).after)["parallelize"]
    table = symbol_table(program)
    count = 0

    def one(procedure: Procedure) -> Procedure:
        def statement(st: s.Statement) -> s.Body:
            nonlocal count
            if called(st, table) is None or not isinstance(st, s.Call):
                return (st,)
            try:
                made = instance_of(st, procedure, table, f"{procedure.id}.made{count}").as_block(st)
            except NotInlined:
                return (st,)
            count += 1
            return made

        return dataclasses.replace(procedure, body=map_body(procedure.body, statement))

    return map_procedures(program, one), count


@pytest.mark.parametrize("name", PROGRAMS)
def test_named_programs(name: str, tmp_path: Path) -> None:
    source = parsed(PROGRAMS[name])
    program, count = all_opened(source)
    assert count >= 2
    want = interpreted(source)
    assert interpreted(program) == want
    if shutil.which("gfortran"):
        lines = compiled_run(print_program(program), tmp_path).splitlines()
        assert [i for i in lines if i and "warning" not in i and not i.startswith("At line")] == want[0].splitlines()


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_random_programs(first: int) -> None:
    total = 0
    for seed in range(first, first + 25):
        source = parsed(random_called_stages(Random(seed)))
        program, count = all_opened(source)
        assert interpreted(program) == interpreted(source), seed
        total += count
    assert total >= 40
