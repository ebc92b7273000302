"""Programs with which parallelize, or the model that it asks, might go wrong: none may print anything else afterwards.

Each one is the smallest form of a mistake that was made once, or that the rule in its name guards against.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "parallelize_programs"
PROGRAMS = {path.stem: path.read_text() for path in sorted(FOLDER.glob("*.f90"))}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_output_is_unchanged(name: str, same: Callable[..., object]) -> None:
    same(PROGRAMS[name].lstrip())


SEQUENTIAL = [
    "a_record_that_is_read_by_component_before_it_is_assigned", "a_value_dummy_that_is_assigned_leaves_the_argument",
    "an_initialised_variable_of_a_block_is_saved", "a_carried_scalar_read_by_a_host_associated_function",
]  # fmt: skip


@pytest.mark.parametrize("name", SEQUENTIAL)
def test_the_last_loop_stays_in_order(name: str, same: Callable[..., object], status: Callable[..., list[str]]) -> None:
    assert status(same(PROGRAMS[name].lstrip()), "parallelize")[-1] == "refused"


def test_bounds_are_those_of_the_array_behind_a_dummy(
    same: Callable[..., object], status: Callable[..., list[str]]
) -> None:
    assert "refused" not in status(same(PROGRAMS["a_dummy_with_constant_bounds"]), "bounds")
    assert "refused" not in status(same(PROGRAMS["a_function_whose_dummy_starts_at_zero"]), "bounds")


def test_a_dummy_of_one_element_may_be_an_old_assumed_size() -> None:
    from polystencil import explain

    text = """subroutine s(x, n)
  integer n, i, x(1)
  do i = 1, 10
    x(i) = i + n
  end do
end subroutine
"""
    assert [r.status for r in explain(text) if r.transform == "bounds"] == ["not-applicable"]
