"""Pictures hold the points and arrows that they should, and look like the golden ones."""

# ruff: noqa: E402  # the notebook extra may be missing

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib", reason="the notebook extra is not installed")
matplotlib.use("Agg")

import matplotlib.image
import matplotlib.pyplot as plt

import polystencil as ps
from polystencil import explore
from polystencil.errors import UsageError

HERE = Path(__file__).resolve().parent
SWEEP = """
subroutine sweep(a, n)
  integer, intent(in) :: n
  real, intent(inout) :: a(0:n + 1, 0:n + 1)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      a(i, j) = 0.5*(a(i - 1, j) + a(i, j - 1))
    end do
  end do
end subroutine
"""


def sweep() -> ps.Program:
    return ps.parse(SWEEP, name="sweep.f90")


def test_the_domain_has_every_iteration() -> None:
    ax = explore.plot_domain(sweep()["sweep"], 6, {"n": 5})
    points = {tuple(p) for p in ax.collections[0].get_offsets().astype(int).tolist()}
    assert points == {(i, j) for i in range(1, 6) for j in range(1, 6)}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("i", "j")
    plt.close("all")


def test_there_is_an_arrow_for_every_dependence() -> None:
    ax = explore.plot_dependences(sweep()["sweep"], 6, {"n": 4})
    arrows = {(tuple(t.xyann), tuple(t.xy)) for t in ax.texts}
    right = {((i, j), (i + 1, j)) for i in range(1, 4) for j in range(1, 5)}
    up = {((i, j), (i, j + 1)) for i in range(1, 5) for j in range(1, 4)}
    assert arrows == right | up
    plt.close("all")


def test_a_missing_parameter_is_told() -> None:
    with pytest.raises(UsageError, match="give a value for the parameter n"):
        explore.plot_domain(sweep()["sweep"], 6)


def draw(name: str) -> matplotlib.figure.Figure:
    program = sweep()
    if name == "dependences":
        return explore.plot_dependences(program["sweep"], 6, {"n": 6}).figure
    if name == "bands":
        return explore.plot_bands(rows=64, launches=12, height=16, sigma=2).figure
    if name == "violation":
        witness = {"iterations": [[1, 2], [2, 2]], "array": "a", "subscript": [2, 1], "conflict": "write-read",
                   "parameters": {"n": 6}}  # fmt: skip
        return explore.plot_violation(program["sweep"], 6, witness).figure
    solver = ps.parse(HERE.parents[1] / "data" / "advection_diffusion.f90")
    return explore.plot_partition(solver["solve"], 67, {"n": 12}).figure


@pytest.mark.parametrize("name", ["dependences", "bands", "violation", "partition"])
def test_golden_pictures(name: str, tmp_path: Path) -> None:
    figure = draw(name)
    figure.savefig(tmp_path / "now.png", dpi=60)
    plt.close("all")
    now = matplotlib.image.imread(tmp_path / "now.png")[..., :3]
    golden = matplotlib.image.imread(HERE / "pictures" / f"{name}.png")[..., :3]
    assert now.shape == golden.shape
    # fonts and antialiasing differ a little between versions; a missing mark changes far more
    assert float(np.abs(now - golden).mean()) < 0.02
