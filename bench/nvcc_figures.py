"""What does the GPU's machine code of each interior kernel cost: registers, spills, instructions? No GPU is needed.

    python bench/nvcc_figures.py [--arch sm_90] [PROGRAM.f90 ...]

Every program is compiled with no transformation, with split, and with split and jam; nvcc makes machine code, ptxas
reports registers and spills, and the instructions are counted in the code itself (16 bytes each, padding left out).
Instructions per cell divide by the rows that one thread runs. Results go to bench/results/nvcc.json.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polystencil import pipeline
from polystencil.codegen.kernel import Kernel
from polystencil.errors import PolystencilError, SourceText
from polystencil.options import Options
from polystencil.runtime.cuda_build import FLAGS, program_text, unit_strides
from polystencil.runtime.cuda_context import find_nvcc
from polystencil.transforms.jam import FACTOR

HERE = Path(__file__).resolve().parent
VARIANTS: dict[str, Any] = {"none": "none", "split": ("split",), "jam": ("split", "jam")}
NOP, OPCODE_BITS = 0x918, 0xFFF
WORD = 16
_REPORT = re.compile(
    r"entry function '(\w+)' for '(sm_\w+)'.*?\n(?:.*\n)*?.*?(\d+) bytes spill stores, (\d+) bytes spill loads\n"
    r".*?Used (\d+) registers"
)


@dataclass(frozen=True)
class Figures:
    """Of one kernel in machine code."""

    registers: int
    spilled_bytes: int
    instructions: int


def sections(code: bytes) -> dict[str, bytes]:
    """Sections of an ELF file by name."""
    offset = int.from_bytes(code[0x28:0x30], "little")
    size, count, names_at = (int.from_bytes(code[k : k + 2], "little") for k in (0x3A, 0x3C, 0x3E))

    def field(k: int, at: int, width: int) -> int:
        start = offset + k * size + at
        return int.from_bytes(code[start : start + width], "little")

    names = code[field(names_at, 0x18, 8) :]
    out = {}
    for k in range(count):
        start = field(k, 0, 4)
        name = names[start : names.index(b"\0", start)].decode()
        out[name] = code[field(k, 0x18, 8) : field(k, 0x18, 8) + field(k, 0x20, 8)]
    return out


def instructions(text: bytes) -> int:
    """Instructions of a kernel without the padding at its end."""
    words = (int.from_bytes(text[k : k + WORD], "little") for k in range(0, len(text), WORD))
    return sum(1 for w in words if w & OPCODE_BITS != NOP)


def figures(kernels: list[Kernel], architecture: str, fp: str = "contract") -> dict[str, Figures]:
    """Compile all kernels of a program; what ptxas says and what the machine code holds. Warnings are errors."""
    nvcc = find_nvcc()
    assert nvcc is not None, "nvcc is not installed"
    text = program_text([(k, unit_strides(k)) for k in kernels], long=False)
    with tempfile.TemporaryDirectory() as work:
        source, made = Path(work) / "kernels.cu", Path(work) / "kernels.cubin"
        source.write_text(text, encoding="utf-8")
        command = [
            nvcc, "-cubin", "-std=c++17", f"-arch={architecture}", *FLAGS[fp], "-Xptxas", "-v", "-Werror", "all-warnings",
            "-o", str(made), str(source),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        reported = {m[1]: (int(m[5]), int(m[3]) + int(m[4])) for m in _REPORT.finditer(done.stderr)}
        code = sections(made.read_bytes())
    return {k.name: Figures(*reported[k.name], instructions(code[f".text.{k.name}"])) for k in kernels}


def kernels_of(path: Path, transforms: Any) -> tuple[list[Kernel], set[str]]:
    """Kernels of a program, and the names of those that hold the interior of a split nest (else all parallel ones)."""
    options = Options(target="cuda", transforms=transforms, cache_bytes=32 << 20, split_min_iterations=0)
    source = SourceText(path.name, path.read_text(encoding="utf-8"))
    generated = pipeline.generate(pipeline.parse([source], {}, [str(path.parent)]), options)
    kernels = list(generated.kernels)
    return kernels, {k.name for k in kernels if not k.serial}


def interiors(variants: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Nests that are split: instructions of a cell as written, in the interior, and in the jammed interior.

    A split nest becomes frame, interior and original; a jammed one has its own frame and interior before them.
    """
    out = []
    for line in sorted({k["line"] for k in variants["split"]}):
        found = {v: [k for k in ks if k["line"] == line and k["parallel"]] for v, ks in variants.items()}
        if len(found["none"]) != 1 or len(found["split"]) != 3:
            continue
        written, inside = found["none"][0]["instructions"], found["split"][1]["instructions"]
        row = {"line": line, "none": written, "split": inside, "split_saves": round(1 - inside / written, 3)}
        if len(found["jam"]) == 5:
            per_cell = found["jam"][1]["instructions"] / FACTOR
            row |= {"jam_per_cell": round(per_cell, 1), "jam_saves_of_split": round(1 - per_cell / inside, 3)}
        out.append(row)
    return out


def measure(path: Path, architecture: str) -> dict[str, Any]:
    """The figures of one program for all variants."""
    out: dict[str, Any] = {}
    for variant, transforms in VARIANTS.items():
        kernels, parallel = kernels_of(path, transforms)
        if not kernels:
            continue
        found = figures(kernels, architecture)
        out[variant] = [
            {
                "kernel": k.name, "line": k.span.line, "parallel": k.name in parallel, "registers": found[k.name].registers,
                "spilled_bytes": found[k.name].spilled_bytes, "instructions": found[k.name].instructions,
            }
            for k in kernels
        ]  # fmt: skip
    if len(out) == len(VARIANTS):
        out["interiors"] = interiors(out)
    return out


def compact(result: dict[str, Any]) -> str:
    """JSON with one line for each kernel."""
    text = json.dumps(result, indent=1)
    return re.sub(r"\{\s+(\"(?:kernel|line)\"[^{}]*?)\s+\}", lambda m: "{" + re.sub(r"\s+", " ", m[1]) + "}", text)


def main() -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--output", type=Path, default=HERE / "results" / "nvcc.json")
    parser.add_argument("programs", nargs="*", type=Path)
    arguments = parser.parse_args()
    if find_nvcc() is None:
        print("nvcc is not installed: the CUDA toolkit has it", file=sys.stderr)
        return 2
    root = HERE.parent
    programs = arguments.programs or sorted(
        [*(root / "data").glob("*.f90"), *(root / "tests/cases/apps").glob("*.f90")]
    )
    version = subprocess.run([find_nvcc() or "", "--version"], capture_output=True, text=True, check=True).stdout
    result: dict[str, Any] = {"nvcc": version.strip().splitlines()[-1], "arch": arguments.arch, "programs": {}}
    for path in programs:
        try:
            result["programs"][path.stem] = measure(path, arguments.arch)
        except PolystencilError as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 1
        print(path.stem, result["programs"][path.stem].get("interiors", []))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(compact(result) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
