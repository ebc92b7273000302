"""A stand-in for nvcc: compiles CUDA C++ with the host's compiler into what the stand-in driver takes for a cubin.

It reads the kernels' parameters from their source, so that the packing of arguments is checked by another hand.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from polystencil.runtime.cuda_cpu import compiler_flags, find_compiler
from polystencil.runtime.cuda_on_cpu import HEADER

_PLACE = re.compile(
    r"^namespace (?P<space>\w+) \{$|"
    r'extern "C" __global__ void(?: __launch_bounds__\(\d+\))? (?P<name>\w+)\((?P<parameters>[^)]*)\)\s*\{',
    re.MULTILINE,
)


def entries(text: str) -> str:
    """An entry for each kernel: unpacks the arguments and runs all threads."""
    out, space = [], ""
    for found in _PLACE.finditer(text):
        if found["space"]:
            space = found["space"]
            continue
        name, fields, names = found["name"], [], []
        for p in filter(None, (p.strip() for p in found["parameters"].split(","))):
            declared = re.fullmatch(r"(.*?)(\w+)", p.replace("__restrict__", "").replace("const ", ""), re.DOTALL)
            assert declared is not None, p
            fields.append(f"{declared[1]} {declared[2]};")
            names.append(declared[2])
        size = f"offsetof(arguments_{name}, {names[-1]}) + sizeof(arguments_{name}::{names[-1]})" if names else "0"
        inner = f"struct arguments_{name} {{ {' '.join(fields)} }};\nstatic size_t size_{name} = {size};\n"
        out.append(
            f"namespace {space} {{\n{inner}}}\n"
            'extern "C" {\n__attribute__((visibility("default"))) size_t ps_size_' + f"{name} = {space}::size_{name};\n"
            f'__attribute__((visibility("default")))\n'
            f"void ps_run_{name}(const unsigned *grid, const unsigned *block, const void *packed) {{\n"
            f"  const {space}::arguments_{name} &a = *(const {space}::arguments_{name} *)packed;\n"
            f"  ps_all_threads(grid, block, [&] {{ {space}::{name}({', '.join('a.' + n for n in names)}); }});\n}}\n}}\n"
        )
    return "".join(out)


def main(arguments: list[str]) -> int:
    """The options of nvcc that polystencil uses."""
    if arguments == ["--version"]:
        print("stand-in nvcc 1")
        return 0
    source = Path(arguments[-1])
    target = arguments[arguments.index("-o") + 1]
    fp = "strict" if "-fmad=false" in arguments else "fast" if "-use_fast_math" in arguments else "contract"
    text = source.read_text(encoding="utf-8")
    code = HEADER + text.replace('extern "C" __global__', "__global__") + entries(text)
    made = source.with_suffix(".cpp")
    made.write_text(code, encoding="utf-8")
    done = subprocess.run([*find_compiler(), *compiler_flags(fp), str(made), "-o", target, "-lm"], check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
