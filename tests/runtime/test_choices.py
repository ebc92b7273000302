"""What checks at run time decided, as the report tells it."""

from __future__ import annotations

import io
from typing import Any

import pytest

from polystencil import pipeline
from polystencil.errors import SourceText
from polystencil.frontend import read_program
from polystencil.options import Options

SPLIT = """
program p
  integer, parameter :: n = 64
  real :: u(n, n), v(n, n)
  integer :: i, j
  u = 1
  do concurrent (j = 1:n, i = 1:n)
    if (i == 1 .or. i == n .or. j == 1 .or. j == n) then
      v(i, j) = u(i, j)
    else
      v(i, j) = u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1)
    end if
  end do
  print *, sum(v)
end program
"""


def report(text: str, options: Options) -> dict[str, Any]:
    exe = pipeline.executable(read_program([SourceText("p.f90", text)]), options)
    for _ in range(2):  # figures are those of the last run
        assert exe.run(stdout=io.BytesIO()) == 0
    return exe.report()


@pytest.mark.parametrize(("least", "choice"), [(1, "transformed"), (10**6, "original")])
def test_the_report_says_which_form_ran(least: int, choice: str) -> None:
    found = report(SPLIT, Options(split_min_iterations=least, cache_bytes=1 << 20, timed=True))
    split = [r for r in found["remarks"] if r["transform"] == "split" and r["status"] == "runtime-checked"]
    assert [r["runtime_choice"] for r in split] == [choice]
    assert sum(split[0]["runtime_counts"].values()) == 1
    assert found["launches"] > 0
    assert found["seconds"]["kernels"] > 0
    assert set(found["bytes_moved"]) == {"to_device", "to_host"}


def test_remarks_without_a_check_have_no_choice() -> None:
    found = report(SPLIT, Options(transforms="none"))
    assert all("runtime_choice" not in r for r in found["remarks"])
