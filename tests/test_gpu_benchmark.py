"""bench/gpu.py without a GPU: comparison of output, the workload on the CPU, the table, the machine code's sections."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench import gpu, nvcc_figures

COMPILER = pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")


@pytest.mark.parametrize(
    ("printed", "how"),
    [
        (b"sum  1.2345 ok\n", "exact"),
        (b"sum  1.2346 ok\n", "close"),
        (b"sum  1.9345 ok\n", "differs by 5.7e-01"),
        (b"sum  1.2345 no\n", "differs in its words"),
    ],
)
def test_output_is_compared_as_text_then_as_numbers(printed: bytes, how: str) -> None:
    assert gpu.compare(b"sum  1.2345 ok\n", printed) == how


@COMPILER
def test_an_application_is_checked() -> None:
    files, wanted = gpu.applications()["heat_2d"]
    assert gpu.check_application(("heat_2d", files, wanted, "cuda_cpu")) == ("heat_2d", "exact")


@COMPILER
def test_all_rows_give_the_same_field(tmp_path: Path) -> None:
    figures = gpu.measure("cuda_cpu", [24], 2, 1, tmp_path)
    assert set(figures["24"]["rows"]) == set(gpu.ROWS)
    assert gpu.disagreements(figures) == []
    figures["24"]["rows"]["all"]["checksums"] = (1.0, 2.0)
    assert "all has checksums" in gpu.disagreements(figures)[0]
    assert gpu.table(figures).splitlines()[0].split() == ["ms", "per", "step", "24"]


def test_instructions_are_counted_without_padding() -> None:
    word = (0x1234).to_bytes(16, "little")
    padding = nvcc_figures.NOP.to_bytes(16, "little")
    assert nvcc_figures.instructions(word * 5 + padding * 3) == 5


def test_interiors_are_found_by_their_place() -> None:
    def kernels(*counts: int) -> list[dict[str, object]]:
        return [{"line": 7, "parallel": True, "instructions": n} for n in counts]

    found = nvcc_figures.interiors(
        {"none": kernels(100), "split": kernels(150, 60, 100), "jam": kernels(160, 90, 150, 60, 100)}
    )
    assert found == [
        {"line": 7, "none": 100, "split": 60, "split_saves": 0.4, "jam_per_cell": 30.0, "jam_saves_of_split": 0.5}
    ]
