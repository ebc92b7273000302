"""The legality suite: small programs, each about one rule, with the decision a tool must take.

Three questions per case: are the decisions right (status, reason, figures), is every counterexample real (replayed by
enumeration), and does the transformed program print what the source prints, from gfortran and from the reference
interpreter with the iterations of parallel loops in any order.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from polystencil import pipeline
from polystencil.errors import UsageError
from polystencil.frontend import read_program
from polystencil.ir import statements as s
from polystencil.ir.expressions import Ref
from polystencil.ir.interpreter import run_program
from polystencil.ir.printer import print_program
from polystencil.ir.program import Procedure, Program
from polystencil.ir.symbols import symbol_table
from polystencil.ir.traversal import procedures_of, walk_statements
from polystencil.options import Options, transforms_from_text
from polystencil.polyhedral.model import build_model
from polystencil.remarks import as_json
from polystencil.testing.enumeration import Instance, NotEnumerable, enumerate_accesses

HERE = Path(__file__).parent / "legality"
GROUPS = ("parallelize", "race", "bounds", "inline", "fuse", "swap", "split", "jam")
CASES = {p.stem: p for group in GROUPS for p in sorted((HERE / group).glob("*.json"))}
FIGURES = ("interior", "factor", "interior_rows", "left_over_rows", "overwrite", "chain_lines", "access_line", "kept_test_lines")
SETS = ("private",)
GFORTRAN = shutil.which("gfortran")


def case_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(CASES[name].read_text())
    return found


def options_of(case: dict[str, Any], **changes: Any) -> Options:
    given = case["options"]
    chosen = {"cache_bytes": given["cache_bytes"], "split_min_iterations": given["split_min_iterations"], **changes}
    return Options(transforms=transforms_from_text(given["transforms"]), **chosen)


def source_of(name: str) -> Program:
    return read_program([CASES[name].with_suffix(".f90")])


def remarks_of(expected: dict[str, Any], remarks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The remarks that an expectation is about."""
    return [
        r for r in remarks
        if r["transform"] == expected["transform"] and r["line"] == expected["line"]
        and expected.get("with_line") in (None, r["with_line"])
        and expected.get("call_line") in (None, r.get("call_line"))
    ]  # fmt: skip


def accepted(expected: dict[str, Any], case: dict[str, Any]) -> set[str]:
    statuses = {expected["status"], *expected.get("accept", [])}
    if expected["status"] == "applied" or case.get("sound_extension_possible"):
        statuses |= {"applied", "runtime-checked"}
    return statuses


@pytest.mark.parametrize("name", CASES)
def test_decisions(name: str) -> None:
    case = case_of(name)
    if case.get("expect_error"):
        with pytest.raises(UsageError):
            options_of(case)
        return
    remarks = [as_json(r) for r in pipeline.transform(source_of(name), options_of(case)).remarks]
    for expected in case["expect"]:
        about = remarks_of(expected, remarks)
        good = [r for r in about if r["status"] in accepted(expected, case)]
        assert good, (expected, about)
        same = [r for r in good if r["status"] == expected["status"]]
        words = expected["reason_keywords"]
        if same and words:
            assert any(w.lower() in r["reason"].lower() for r in same for w in words), (words, same[0]["reason"])
        for field in FIGURES:
            if field in expected:
                assert expected[field] in [r.get(field) for r in good], (field, good)
        for field in SETS:
            if field in expected:
                assert sorted(expected[field]) in [sorted(r.get(field, ())) for r in good], (field, good)
        if "reductions" in expected:
            assert set(expected["reductions"]) <= set(good[0]["reductions"]), good
        if "removed_test_lines" in expected:
            assert set(expected["removed_test_lines"]) <= set(good[0]["removed_test_lines"]), good


WITH_WITNESS = [n for n in CASES if any("witness" in e for e in case_of(n)["expect"])]


@pytest.mark.parametrize("name", WITH_WITNESS)
def test_witnesses_are_real(name: str) -> None:
    case, program = case_of(name), source_of(name)
    remarks = [as_json(r) for r in pipeline.transform(program, options_of(case)).remarks]
    for expected in case["expect"]:
        if "witness" not in expected:
            continue
        remark = next(r for r in remarks_of(expected, remarks) if r["status"] == "refused")
        witness = remark["witness"]
        assert witness, remark
        loop, procedure = loop_at(program, expected["line"])
        instances = replay(loop, procedure, program, witness["parameters"])
        if expected["transform"] == "bounds":
            check_outside(witness, instances)
        else:
            check_conflict(witness, instances)
            if "all_pairs" in case:
                assert sorted(witness["iterations"]) in [sorted(p) for p in case["all_pairs"]], witness


def loop_at(program: Program, line: int) -> tuple[s.Statement, Procedure]:
    """The outermost loop statement around (or at) a line."""
    for procedure in procedures_of(program):
        for st in walk_statements(procedure.body):
            if isinstance(st, (s.Do, s.ParallelLoop)):
                lines = [i.span.line for i in walk_statements((st,))]
                if min(lines) <= line <= max(lines):
                    return st, procedure
    raise AssertionError(f"no loop at line {line}")


def replay(loop: s.Statement, procedure: Procedure, program: Program, parameters: dict[str, int]) -> list[Instance]:
    """All accesses of a loop with the witness's values of the variables."""
    names = build_model((loop,), symbol_table(program), procedure.id).parameters.expressions
    values = {names[n].id: v for n, v in parameters.items() if n in names and isinstance(names[n], Ref)}  # type: ignore[attr-defined]  # a Ref
    try:
        return enumerate_accesses(loop, values, symbol_table(program))
    except NotEnumerable as why:
        raise AssertionError(f"cannot replay: {why}") from None


def check_conflict(witness: dict[str, Any], instances: list[Instance]) -> None:
    first, second = (tuple(i) for i in witness["iterations"])
    assert first != second
    found = [
        (i.iteration, i.is_write) for i in instances
        if i.array.rsplit(".", 1)[-1] == witness["array"] and list(i.subscript) == witness["subscript"]
        and i.iteration in (first, second)
    ]  # fmt: skip
    assert {i for i, _ in found} == {first, second}, (witness, found)
    assert any(w for _, w in found), witness


def check_outside(witness: dict[str, Any], instances: list[Instance]) -> None:
    low, high = witness["bounds"]
    assert not low <= witness["index"] <= high
    assert any(
        i.iteration == tuple(witness["iteration"].values()) and i.span.line in witness["lines"]
        and i.array.rsplit(".", 1)[-1] == witness["array"] and i.subscript[witness["dimension"] - 1] == witness["index"]
        for i in instances
    ), witness  # fmt: skip


RUNNABLE = [n for n in CASES if not case_of(n).get("expect_error") and not case_of(n).get("exit_code")]


def transformed(name: str, **changes: Any) -> Program:
    return pipeline.transform(source_of(name), options_of(case_of(name), **changes)).program


@pytest.mark.skipif(GFORTRAN is None, reason="needs gfortran")
@pytest.mark.parametrize("name", RUNNABLE)
def test_gfortran_prints_the_expected_output(name: str, tmp_path: Path) -> None:
    texts = {print_program(transformed(name)), print_program(transformed(name, split_min_iterations=0))}
    for k, text in enumerate(sorted(texts)):
        source, program = tmp_path / f"p{k}.f90", tmp_path / f"p{k}"
        source.write_text(text)
        command = ["gfortran", "-O0", "-ffp-contract=off", "-fcheck=all", source.name, "-o", program.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        ran = subprocess.run([program], capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        assert ran.stdout.decode() == CASES[name].with_suffix(".expected").read_text(), ran.stderr.decode()


@pytest.mark.parametrize("name", RUNNABLE)
def test_the_interpreter_prints_the_expected_output_in_any_order(name: str) -> None:
    want = CASES[name].with_suffix(".expected").read_text()
    program = transformed(name, split_min_iterations=0)
    for order in ("forward", "reverse", "random"):
        out = io.BytesIO()
        run_program(program, stdout=out, stdin=io.BytesIO(), parallel_order=order, seed=7)  # type: ignore[arg-type]  # one of three
        assert out.getvalue().decode() == want, order
