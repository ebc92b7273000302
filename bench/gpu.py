"""Everything that needs an NVIDIA GPU, in one command, in less than eight minutes.

    python bench/gpu.py [-o bench/results/gpu.json]

1. Every application prints what it must (exactly, or within the rounding of the GPU's exp, sin, ...).
2. The advection-diffusion workload in ms per step at 1024, 2048 and 4096 cells a side, transformations added one by one,
   beside hand-written CUDA of the same method (fused_stage.cu), with the share of the roof: 16 bytes a cell and step at
   the copy rate of the cache or of the memory, whichever holds the field. All contestants run in turn in every round.

A time per step is the difference of solves of N and 2 N steps, so that copies and allocations at both ends fall out.
`--target cuda_cpu --sizes 64 --steps 2` tries the plumbing without a GPU.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from polystencil import pipeline
from polystencil.errors import PolystencilError, SourceText
from polystencil.options import Options, transforms_from_text
from polystencil.runtime import Executable, load
from polystencil.runtime.cuda_context import find_nvcc

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCE = HERE / "baselines" / "advdiff_stages.F90"
ROWS = {
    "none": "none", "fuse": "fuse", "+swap": "fuse,swap", "+split": "fuse,swap,split", "+jam": "fuse,swap,split,jam",
    "all": "all",
}  # fmt: skip
BYTES_PER_CELL = 16
TOLERANCE = 2e-3  # of printed numbers: they have few digits, and a chaotic application amplifies rounding
NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eEdD][-+]?\d+)?")


def applications() -> dict[str, tuple[list[Path], bytes]]:
    """Sources and expected output of every application."""
    index = json.loads((ROOT / "tests/cases/index.json").read_text())
    out = {}
    for entry in index:
        if entry["files"][0].startswith("apps"):
            files = [ROOT / "tests/cases" / f for f in entry["files"]]
            out[entry["name"]] = files, (ROOT / "tests/cases" / entry["expected"]).read_bytes()
    for path in sorted((ROOT / "data").glob("*.f90")):
        out[path.stem] = [path], path.with_suffix(".expected").read_bytes()
    return out


def check_application(job: tuple[str, list[Path], bytes, str]) -> tuple[str, str]:
    """Run one application: "exact", "close", or what is wrong."""
    name, files, wanted, target = job
    try:
        sources = [SourceText(str(f), f.read_text(encoding="utf-8", errors="surrogateescape")) for f in files]
        options = Options(target=target, fp="strict")  # type: ignore[arg-type]  # one of the targets
        exe = pipeline.executable(pipeline.parse(sources, {}, [str(files[0].parent)]), options)
        stream = io.BytesIO()
        exe.run((), stdout=stream, stdin=io.BytesIO())
    except PolystencilError as error:
        return name, f"failed: {error}"
    return name, compare(wanted, stream.getvalue())


def compare(wanted: bytes, printed: bytes) -> str:
    """How far printed output is from what is wanted."""
    if wanted == printed:
        return "exact"
    if NUMBER.sub(b"#", wanted).split() != NUMBER.sub(b"#", printed).split():
        return "differs in its words"
    pairs = [(float(a.lower().replace(b"d", b"e")), float(b.lower().replace(b"d", b"e")))
             for a, b in zip(NUMBER.findall(wanted), NUMBER.findall(printed), strict=True)]  # fmt: skip
    worst = max(abs(a - b) / max(abs(a), 1e-3) for a, b in pairs)
    return "close" if worst <= TOLERANCE else f"differs by {worst:.1e}"


def initial_field(n: int) -> Any:
    """The start of the workload, as advdiff_stages.F90 makes it."""
    x = (np.arange(n) + 0.5) / n
    a, b = x[:, None], x[None, :]
    q = (
        1.0
        + 0.5 * np.exp(-((a - 0.4) ** 2 + (b - 0.45) ** 2) * 50.0)
        + 0.1 * np.sin(9.0 * a + 0.3) * np.cos(7.0 * b + 0.7)
    )
    return np.asfortranarray(q, np.float32)


def solve(exe: Executable, n: int, steps: int) -> tuple[float, Any]:
    """Seconds of a solve, and the field after it."""
    q = initial_field(n)
    h = np.float32(1.0 / n)
    dt = np.float32(0.4) * h
    began = time.perf_counter()
    exe["solve"](n, steps, q, np.float32(1.0), np.float32(0.5), np.float32(1e-5) / h, dt / h)
    return time.perf_counter() - began, q


def checksums(q: Any) -> tuple[float, float]:
    """As fused_stage.cu prints them."""
    flat = q.ravel(order="F").astype(np.float64)
    return float(flat.mean()), float((flat**2 * (1 + np.arange(flat.size) % 16)).mean())


def executables(target: str) -> dict[str, Executable]:
    """The workload with each choice of transformations."""
    out: dict[str, Executable] = {}
    text = SourceText(str(SOURCE), SOURCE.read_text(encoding="utf-8"))
    program = pipeline.parse([text], {}, [str(SOURCE.parent)])
    for name, transforms in ROWS.items():
        options = Options(target=target, transforms=transforms_from_text(transforms))  # type: ignore[arg-type]  # as above
        exe = pipeline.executable(program, options)
        out[name] = load(exe.generated, exe.device, options)
    return out


def hand_written(folder: Path, n: int, steps: int, rounds: int) -> dict[str, Any]:
    """Figures of fused_stage.cu."""
    program = folder / "fused_stage"
    if not program.exists():
        nvcc = find_nvcc()
        assert nvcc is not None
        command = [nvcc, "-O3", "-arch=native", str(HERE / "fused_stage.cu"), "-o", str(program)]
        subprocess.run(command, check=True)
    text = subprocess.run(
        [str(program), str(n), str(steps), str(rounds)], check=True, capture_output=True, text=True
    ).stdout
    words = [line.split() for line in text.splitlines()]
    figures: dict[str, Any] = {w[0]: float(w[1]) for w in words if w[0].startswith(("copy", "l2"))}
    figures["ms_per_step"] = [float(w[1]) for w in words if w[0] == "ms_per_step"]
    figures["checksums"] = next([float(v) for v in w[1:]] for w in words if w[0] == "checksums")
    return figures


def measure(target: str, sizes: list[int], steps: int, rounds: int, folder: Path) -> dict[str, Any]:
    """The table: for each size, times of each row, checksums, hand-written CUDA and the roof."""
    rows = executables(target)
    out: dict[str, Any] = {}
    for n in sizes:
        here: dict[str, Any] = {"rows": {}, "steps": steps}
        times: dict[str, list[float]] = {name: [] for name in rows}
        for name, exe in rows.items():
            _, q = solve(exe, n, steps)  # compiles
            here["rows"][name] = {"checksums": checksums(q)}
        for _ in range(rounds):
            for name, exe in rows.items():
                short, _ = solve(exe, n, steps)
                double, _ = solve(exe, n, 2 * steps)
                times[name].append((double - short) / steps * 1e3)
        if target == "cuda":
            hand = hand_written(folder, n, steps, rounds)
            here["hand_written"] = hand
            fits = 4 * BYTES_PER_CELL // 4 * n * n <= hand["l2_bytes"]
            here["roof_ms"] = (
                BYTES_PER_CELL * n * n / (hand["copy_l2_GB_per_s" if fits else "copy_dram_GB_per_s"] * 1e6)
            )
        for name in rows:
            here["rows"][name]["ms_per_step"] = times[name]
        out[str(n)] = here
    return out


def table(figures: dict[str, Any]) -> str:
    """The results for people: medians in ms per step, and the share of the roof."""
    sizes = list(figures)
    lines = [f"{'ms per step':<14}" + "".join(f"{n:>20}" for n in sizes)]
    for name in [*ROWS, "hand-written"]:
        cells = []
        for n in sizes:
            here = figures[n]
            source = here.get("hand_written") if name == "hand-written" else here["rows"][name]
            if source is None:
                cells.append(f"{'-':>20}")
                continue
            median = statistics.median(source["ms_per_step"])
            share = f" ({100 * here['roof_ms'] / median:.1f} %)" if "roof_ms" in here else ""
            cells.append(f"{median:.4f}{share}".rjust(20))
        lines.append(f"{name:<14}" + "".join(cells))
    return "\n".join(lines)


def disagreements(figures: dict[str, Any]) -> list[str]:
    """Rows whose checksums are not those of the untransformed program."""
    out = []
    for n, here in figures.items():
        reference = here["rows"]["none"]["checksums"]
        others = {name: row["checksums"] for name, row in here["rows"].items()}
        if "hand_written" in here:
            others["hand-written"] = here["hand_written"]["checksums"]
        for name, sums in others.items():
            if any(abs(a - b) > 1e-5 * abs(b) for a, b in zip(sums, reference, strict=True)):
                out.append(f"{n}: {name} has checksums {sums}, none has {reference}")
    return out


def main() -> int:
    """Check, measure, print, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--target", choices=("cuda", "cuda_cpu"), default="cuda")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 2048, 4096])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=4, help="applications at a time")
    parser.add_argument("--no-applications", action="store_true")
    parser.add_argument("-o", dest="output", type=Path, default=HERE / "results" / "gpu.json")
    given = parser.parse_args()
    began = time.perf_counter()
    result: dict[str, Any] = {"target": given.target}
    if not given.no_applications:
        jobs = [(name, files, wanted, given.target) for name, (files, wanted) in applications().items()]
        with ProcessPoolExecutor(given.jobs) as pool:
            result["applications"] = dict(pool.map(check_application, jobs))
        kinds = list(result["applications"].values())
        print(f"applications: {kinds.count('exact')} exact, {kinds.count('close')} close, of {len(kinds)}")
    with tempfile.TemporaryDirectory() as folder:
        result["workload"] = measure(given.target, given.sizes, given.steps, given.rounds, Path(folder))
    wrong = disagreements(result["workload"])
    wrong += [f"{name}: {how}" for name, how in result.get("applications", {}).items() if how not in ("exact", "close")]
    result["seconds"] = time.perf_counter() - began
    print(table(result["workload"]))
    print("\n".join(wrong))
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
