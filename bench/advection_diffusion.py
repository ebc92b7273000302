"""How fast is the advection-diffusion workload, with each transformation, against compilers and hand-written C?

    python bench/advection_diffusion.py [--sizes 1024 2048 4096] [--rounds 5] [--blocks 3] [-o FILE.json]

All contestants run once in a round, one after the other, and rounds are repeated (interleaved), since machines are
noisy. A run is one process that times blocks of four steps itself and prints checksums; its figure is the median of its
blocks but the first, which holds compilation. Printed: the median over the rounds in ms per step, the share of the
bandwidth roof (16 bytes a cell and step at the copy rate measured in the same run), ratios, and the checksums' largest
relative difference.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent / "baselines"
SOURCE = HERE / "advdiff_stages.F90"
ROWS = ("none", "fuse", "fuse,swap", "fuse,swap,split", "fuse,swap,split,jam", "all")
STEPS_PER_BLOCK = 4


@dataclass
class Contestant:
    """A command that takes cells a side and blocks, and its figures by size."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    own_blocks: bool = False
    times: dict[int, list[float]] = field(default_factory=dict)
    checksums: dict[int, tuple[float, ...]] = field(default_factory=dict)


def build(folder: Path) -> list[Contestant]:
    """Compile the baselines; a compiler that is missing leaves its rows out, by name."""
    passive = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    out: list[Contestant] = []

    def compiled(name: str, command: list[str], target: str, environment: dict[str, str], own: bool) -> None:
        try:
            subprocess.run([*command, "-o", str(folder / target)], check=True, capture_output=True, cwd=folder)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"left out: {name} ({error})", file=sys.stderr)
            return
        out.append(Contestant(name, [str(folder / target)], environment, own))

    fast = ["-O3", "-march=native", "-ffast-math"]
    cpp = ["-cpp", f"-I{HERE}"]
    compiled("gfortran", ["gfortran", *fast, *cpp, str(SOURCE)], "f_stages", passive, False)
    compiled("gfortran OpenMP (form 2)", ["gfortran", *fast, *cpp, "-fopenmp", "-DFORM=2", str(HERE / "advdiff.F90")],
             "f_openmp", passive, False)  # fmt: skip
    compiled("C split", ["gcc", *fast, "-fopenmp", str(HERE / "split.c"), "-lm"], "c_split", passive, True)
    compiled("C fused", ["gcc", *fast, "-fopenmp", str(HERE / "fused.c"), "-lm"], "c_fused", passive, True)
    compiled("C tiled", ["gcc", *fast, "-fopenmp", str(HERE / "tiled.c"), "-lm"], "c_tiled", passive, True)
    written = subprocess.run(
        [sys.executable, "-m", "polystencil", "compile", "--target", "fortran", "--openmp", str(SOURCE), "-o",
         str(folder / "printed")], capture_output=True, text=True,
    )  # fmt: skip
    if written.returncode == 0:
        compiled("printed Fortran, OpenMP", ["gfortran", "-O3", "-march=native", "-fopenmp",
                 str(folder / "printed" / "program.f90")], "f_printed", passive, False)  # fmt: skip
    for row in ROWS:
        command = [sys.executable, "-m", "polystencil", "run", str(SOURCE), "--transforms", row, "--"]
        out.append(Contestant(f"polystencil {row}", command))
    return out


def run(c: Contestant, cells: int, blocks: int) -> float | None:
    """One run; the time in ms per step."""
    arguments = [str(cells), str(blocks)] + ([] if c.own_blocks else [str(STEPS_PER_BLOCK)])
    done = subprocess.run(
        [*c.command, *arguments], capture_output=True, text=True, env={**os.environ, **c.environment}, timeout=600
    )
    if done.returncode:
        print(f"{c.name} failed: {done.stderr[-300:]}", file=sys.stderr)
        return None
    text = done.stdout
    sums = re.search(r"(?:checksum|cs) ([ 0-9.E+-]+)", text)
    if sums:
        c.checksums[cells] = tuple(float(v) for v in sums.group(1).split()[:3])
    found = re.search(r"best +([0-9.]+)", text) or re.search(r"med +([0-9.]+)", text)
    if found is None:
        return None
    time = float(found.group(1))
    c.times.setdefault(cells, []).append(time)
    return time


def copy_rate(folder: Path) -> float:
    """GB/s of a copy of 400 MB arrays on two threads; 0 where it cannot be measured."""
    try:
        subprocess.run(["gcc", "-O3", "-march=native", "-fopenmp", str(HERE / "stream.c"), "-o", str(folder / "stream"),
                        "-lm"], check=True, capture_output=True)  # fmt: skip
        text = subprocess.run([str(folder / "stream"), "400"], capture_output=True, text=True, timeout=120).stdout
    except (OSError, subprocess.SubprocessError):
        return 0.0
    found = re.search(r"arrays +400 MB: copy +([0-9.]+)", text)
    return float(found.group(1)) if found else 0.0


def main() -> int:
    """Measure and print the table; write JSON with -o."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 2048, 4096])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--only", help="contestants whose name matches this regular expression")
    parser.add_argument("-o", dest="output", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contestants = [c for c in build(folder) if not given.only or re.search(given.only, c.name)]
        rate = copy_rate(folder)
        for c in contestants:  # warm caches of compiled programs and kernels
            for cells in given.sizes:
                run(c, cells, 1)
                c.times.pop(cells, None)
        for _ in range(given.rounds):
            for cells in given.sizes:
                for c in contestants:
                    run(c, cells, given.blocks)
    report(contestants, given.sizes, rate)
    if given.output:
        data = {
            "copy_GB_per_s": rate, "rounds": given.rounds, "blocks": given.blocks,
            "ms_per_step": {c.name: {str(n): sorted(t) for n, t in c.times.items()} for c in contestants},
            "checksums": {c.name: {str(n): s for n, s in c.checksums.items()} for c in contestants},
        }  # fmt: skip
        given.output.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return 0


def report(contestants: list[Contestant], sizes: list[int], rate: float) -> None:
    """The table."""
    print(f"copy rate {rate:.0f} GB/s" if rate else "copy rate not measured")
    print(f"{'ms per step':34s}" + "".join(f"{n:>12d}" for n in sizes) + "    share of the roof")
    for c in contestants:
        cells = []
        shares = []
        for n in sizes:
            times = c.times.get(n)
            median = statistics.median(times) if times else float("nan")
            cells.append(f"{median:12.3f}")
            roof = 16.0 * n * n / (rate * 1e6) if rate else float("nan")
            shares.append(f"{100 * roof / median:5.1f}%")
        print(f"{c.name:34s}" + "".join(cells) + "    " + " ".join(shares))
    worst = 0.0
    for n in sizes:
        known = [c.checksums[n] for c in contestants if n in c.checksums and c.name != "C tiled"]
        for s in known[1:]:
            worst = max(worst, *(abs(a - b) / abs(b) for a, b in zip(s, known[0], strict=True)))
    print(f"largest relative difference of checksums: {worst:.2e}")


if __name__ == "__main__":
    sys.exit(main())
