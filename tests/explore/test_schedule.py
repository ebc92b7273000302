"""Schedules: the same program as the pipeline, refusals with witnesses that replay, saving and loading."""

from __future__ import annotations

from pathlib import Path

import pytest

import polystencil as ps
from polystencil.errors import UsageError
from polystencil.explore import IllegalTransformError, Schedule, load_schedule, schedule
from polystencil.ir.symbols import symbol_table
from polystencil.testing import enumerate_accesses

DATA = Path(__file__).resolve().parents[2] / "data"


def nest(statement: str, bounds: str = "1, n", inner: str = "1, n") -> ps.Program:
    return ps.parse(
        f"""
subroutine go(a, b, n)
  integer, intent(in) :: n
  real, intent(inout) :: a(-9:n + 9, -9:n + 9), b(-9:n + 9, -9:n + 9)
  integer :: i, j
  do j = {bounds}
    do i = {inner}
      {statement}
    end do
  end do
end subroutine
""",
        name="nest.f90",
    )


def test_a_script_does_what_all_does() -> None:
    program = ps.parse(DATA / "advection_diffusion.f90")
    script = schedule(program["solve"]).fuse().swap().skew().split().jam()
    assert script.show() == ps.show(program, after="split", transforms="fuse,swap,skew,split,jam")
    assert script.show() == ps.show(program, after="split", transforms="all")


def test_history_replays() -> None:
    program = ps.parse(DATA / "advection_diffusion.f90")
    script = schedule(program["solve"]).fuse().split(min_iterations=64)
    again = schedule(program["solve"]).replay(script.history)
    assert again == script
    assert again.history == ("fuse()", "split(min_iterations=64)")


def test_save_and_load(tmp_path: Path) -> None:
    program = ps.parse(DATA / "advection_diffusion.f90")
    script = schedule(program["solve"]).fuse().swap()
    script.save(tmp_path / "s.json")
    assert load_schedule(tmp_path / "s.json", program) == script
    with pytest.raises(UsageError, match="another source"):
        load_schedule(tmp_path / "s.json", ps.parse(DATA / "heat_2d.f90"))


ILLEGAL_ORDER = [
    ("a(i, j) = a(i + 1, j - 1)", "interchange"),
    ("a(i, j) = a(i + 2, j - 1) + b(i, j)", "interchange"),
    ("a(i, j) = a(i + 1, j - 3)", "interchange"),
    ("a(i + 1, j) = a(i + 3, j - 2)", "interchange"),
    ("a(i, j) = a(i + 1, j - 1)", "tile"),
    ("a(i, j) = a(i + 3, j - 2) + 1.0", "tile"),
    ("a(i, j) = a(i + 1, j - 1) + a(i - 1, j)", "tile"),
]


@pytest.mark.parametrize(("statement", "step"), ILLEGAL_ORDER)
def test_illegal_orders_have_witnesses_that_replay(statement: str, step: str) -> None:
    program = nest(statement)
    s = schedule(program["go"])
    with pytest.raises(IllegalTransformError) as caught:
        s.interchange(6) if step == "interchange" else s.tile(6, (4, 4))
    witness = caught.value.witness
    assert witness is not None
    procedure = program["go"].procedure
    loop = procedure.body[0]
    size = witness["parameters"].get("n", 8)
    instances = enumerate_accesses(loop, {f"{procedure.id}.n": size}, symbol_table(program))
    first, second = (tuple(i) for i in witness["iterations"])
    assert first < second, "the first runs before the second"
    touched = [
        {(i.array, i.subscript) for i in instances if i.iteration == at and len(i.subscript) == 2}
        for at in (first, second)
    ]
    written = {(i.array, i.subscript) for i in instances if i.iteration in (first, second) and i.is_write}
    assert touched[0] & touched[1] & written, "they meet at an element that one of them writes"


@pytest.mark.parametrize(
    ("statement", "iterations"),
    [
        ("a(i, j) = a(i - 1, j)", True),
        ("a(i, j) = a(i, j - 1)", True),
        ("a(i + j, 1) = b(i, j)", True),
    ],
)
def test_parallelize_of_one_loop_is_refused_with_a_witness(statement: str, iterations: bool) -> None:
    refused = [r for r in ps.explain(nest(statement)) if r.transform == "parallelize" and r.status == "refused"]
    assert refused
    assert (refused[0].witness is not None) is iterations
    assert refused[0].witness is not None
    assert len(refused[0].witness["iterations"]) == 2


def test_a_parallelize_request_without_a_parallel_loop_raises() -> None:
    program = nest("a(i, j) = a(i - 1, j) + a(i, j - 1)")
    with pytest.raises(IllegalTransformError) as caught:
        schedule(program["go"]).parallelize()
    assert caught.value.witness is not None


def test_passes_that_need_others_say_so() -> None:
    s: Schedule = schedule(ps.parse(DATA / "advection_diffusion.f90")["solve"])
    with pytest.raises(IllegalTransformError, match="needs fuse"):
        s.swap()
    with pytest.raises(IllegalTransformError, match="needs split"):
        s.jam()


def test_legal_steps_keep_the_result() -> None:
    import numpy as np

    program = nest("a(i, j) = 0.5*(a(i - 1, j) + a(i, j - 1)) + b(i, j)")
    results = []
    for s in (schedule(program["go"]), schedule(program["go"]).interchange(6), schedule(program["go"]).tile(6, (3, 5))):
        n = 17
        rng = np.random.default_rng(3)
        a, b = (np.asfortranarray(rng.random((n + 19, n + 19), dtype=np.float32)) for _ in range(2))
        s.compile(fp="strict")["go"](a, b, n)
        results.append(a)
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


def test_unknown_lines_and_steps_are_told() -> None:
    s = schedule(nest("a(i, j) = b(i, j)")["go"])
    with pytest.raises(UsageError, match="no loop of go starts at line 99"):
        s.interchange(99)
    with pytest.raises(UsageError, match="unknown schedule step"):
        s.replay(["vectorize()"])
