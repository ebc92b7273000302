"""nvcc compiles every kernel of every application for three GPU generations, without a warning and without spills.

Skipped where nvcc is missing, unless POLYSTENCIL_NEEDS_NVCC is set.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from bench.nvcc_figures import Figures, figures, kernels_of
from polystencil import pipeline
from polystencil.errors import SourceText
from polystencil.options import Options
from polystencil.runtime.cuda_build import program_text, unit_strides
from polystencil.runtime.cuda_context import find_nvcc

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = json.loads((ROOT / "tests/cases/index.json").read_text())
APPS = {e["name"]: [ROOT / "tests/cases" / f for f in e["files"]] for e in CASES if e["files"][0].startswith("apps")}
APPS |= {path.stem: [path] for path in sorted((ROOT / "data").glob("*.f90"))}
ARCHITECTURES = (80, 90, 120)
pytestmark = pytest.mark.skipif(
    find_nvcc() is None and not os.environ.get("POLYSTENCIL_NEEDS_NVCC"), reason="needs nvcc"
)


@pytest.mark.parametrize("name", APPS)
def test_kernels_compile_without_warnings(name: str, tmp_path: Path) -> None:
    sources = [SourceText(str(f), f.read_text()) for f in APPS[name]]
    options = Options(target="cuda", split_min_iterations=0, cache_bytes=32 << 20)
    generated = pipeline.generate(pipeline.parse(sources, {}, [str(APPS[name][0].parent)]), options)
    assert generated.kernels
    text = tmp_path / "kernels.cu"
    text.write_text(program_text([(k, unit_strides(k)) for k in generated.kernels], long=False))
    nvcc = find_nvcc()
    assert nvcc is not None
    architectures = [a for n in ARCHITECTURES for a in ("-gencode", f"arch=compute_{n},code=sm_{n}")]
    command = [
        nvcc,
        "-fatbin",
        "-std=c++17",
        *architectures,
        "-Werror",
        "all-warnings",
        "-o",
        str(tmp_path / "k"),
        str(text),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_64_bit_indices_compile(tmp_path: Path) -> None:
    kernels, _ = kernels_of(APPS["heat_2d"][0], "all")
    text = tmp_path / "kernels.cu"
    text.write_text(program_text([(k, unit_strides(k)) for k in kernels], long=True))
    command = [
        find_nvcc() or "nvcc",
        "-cubin",
        "-arch=sm_90",
        "-Werror",
        "all-warnings",
        "-o",
        str(tmp_path / "k"),
        str(text),
    ]
    assert subprocess.run(command, check=False).returncode == 0


@pytest.mark.parametrize("name", ["heat_2d", "wave_2d", "gray_scott", "advection_diffusion"])
def test_parallel_kernels_spill_nothing(name: str) -> None:
    kernels, parallel = kernels_of(APPS[name][0], "all")
    found = figures(kernels, "sm_90")
    assert found.keys() == {k.name for k in kernels}
    for kernel in parallel:
        assert found[kernel].spilled_bytes == 0, kernel
        assert 0 < found[kernel].registers <= 128, (kernel, found[kernel])


def test_the_interior_has_fewer_instructions_than_the_whole() -> None:
    def smallest(transforms: object) -> Figures:
        kernels, parallel = kernels_of(APPS["heat_2d"][0], transforms)
        found = figures(kernels, "sm_90")
        nest = [found[k.name] for k in kernels if k.name in parallel and k.span.line == 16]
        return min(nest, key=lambda f: f.instructions)

    assert smallest(("split",)).instructions < smallest("none").instructions
