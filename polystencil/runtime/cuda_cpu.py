"""CUDA on the CPU: the CUDA source of all kernels of a program, compiled by the host's C++ compiler.

One shared library per program and index width, kept on disk by its text; an entry for each kernel takes the packed
arguments of the launch and runs every thread of every block. Arrays are used where they are.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from polystencil.codegen.kernel import Kernel, Parameter
from polystencil.errors import DeviceError
from polystencil.runtime.cache import cache_folder
from polystencil.runtime.cpu_cache import last_level_cache_bytes
from polystencil.runtime.cuda_launcher import Constants, CudaLauncher, Sizes
from polystencil.runtime.cuda_on_cpu import HEADER
from polystencil.runtime.flat_grid import kernel_text

COMPILERS = ("g++", "c++", "clang++")
# math functions must reach the C library: a compiler folds constants with another rounding
_LIBM = (
    "exp", "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "tgamma", "lgamma", "erf", "erfc", "hypot", "pow", "fmod",
)  # fmt: skip
_SCALARS = {
    "int8": "signed char", "int16": "short", "int32": "int", "int64": "long long", "float32": "float",
    "float64": "double", "complex64": "float2", "complex128": "double2",
}  # fmt: skip


def find_compiler() -> list[str]:
    """The command of the host's C++ compiler: CXX, else the first that is there."""
    chosen = shlex.split(os.environ.get("CXX", ""))
    for command in (chosen, *([name] for name in COMPILERS)):
        if command and shutil.which(command[0]):
            return command
    raise DeviceError(
        "target cuda_cpu compiles kernels with a C++ compiler, and there is none: looked for CXX, "
        + ", ".join(COMPILERS),
        hint="install g++ (Debian: apt-get install g++), or set CXX",
    )


def compiler_flags(fp: str) -> list[str]:
    """Options that keep the meaning of a floating-point mode."""
    flags = [
        "-std=c++17",
        "-O2",
        "-w",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-fno-math-errno",
        "-fno-strict-aliasing",
    ]
    if fp == "strict":
        flags += ["-ffp-contract=off", *(f"-fno-builtin-{name}{kind}" for name in _LIBM for kind in ("", "f"))]
    else:
        flags.append("-ffast-math" if fp == "fast" else "-ffp-contract=fast")
    return flags


def library_text(kernels: list[Kernel], long: bool, flat: bool = False) -> str:
    """One translation unit: the header, every kernel in a namespace of its own, and the entries."""
    parts = [HEADER]
    for k, kernel in enumerate(kernels):
        text = kernel_text(kernel, (), long, flat and not kernel.serial).replace('extern "C" ', "")
        fields = "".join(f"  {_ctype(p)} a{n};\n" for n, p in enumerate(kernel.parameters))
        names = ", ".join(f"a.a{n}" for n in range(len(kernel.parameters)))
        parts.append(
            f"namespace space_{k} {{\n{text}\nstruct arguments {{\n{fields}}};\n}}\n"
            f'extern "C" __attribute__((visibility("default")))\n'
            f"void ps_run_{kernel.name}(const unsigned *grid, const unsigned *block, const void *packed) {{\n"
            f"  const space_{k}::arguments &a = *(const space_{k}::arguments *)packed;\n"
            f"  ps_all_threads(grid, block, [&] {{ space_{k}::{kernel.name}({names}); }});\n}}\n"
        )
    return "\n".join(parts)


def _ctype(p: Parameter) -> str:
    if p.kind == "pointer":
        name = "unsigned char" if p.dtype == "bool" else _SCALARS[p.dtype]
        return f"{name} *"
    return _SCALARS[p.dtype] if p.kind == "scalar" else "index_t"


def compile_library(text: str, fp: str, kernels: list[Kernel]) -> Path:
    """The shared library of a text, from the cache or freshly compiled."""
    command = [*find_compiler(), *compiler_flags(fp)]
    digest = hashlib.sha256("\0".join([*command, platform.platform(), text]).encode()).hexdigest()[:32]
    base = cache_folder()
    folder = Path(tempfile.mkdtemp(prefix="polystencil-")) if base is None else base / "cuda_cpu"
    path = folder / f"{digest}.so"
    if path.exists():
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="polystencil-"))
        path = folder / path.name
    with tempfile.TemporaryDirectory() as work:
        source, made = Path(work) / "kernels.cpp", Path(work) / "kernels.so"
        source.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [*command, str(source), "-o", str(made), "-lm"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            log = "\n".join(done.stderr.strip().splitlines()[:12]).replace(str(source), "kernels.cpp")
            lines = text.splitlines()
            raise DeviceError(
                f"{command[0]} does not compile the kernels {', '.join(k.name for k in kernels)}: {log}\n"
                + "\n".join(f"{n:>4} {line}" for n, line in _around_first_error(log, lines)),
                kernels[0].span,
            )
        part = folder / f"{digest}.{os.getpid()}.part"
        shutil.copyfile(made, part)
        os.replace(part, path)
    return path


def _around_first_error(log: str, lines: list[str]) -> list[tuple[int, str]]:
    for line in log.splitlines():
        parts = line.split(":")
        if len(parts) > 3 and parts[1].isdigit() and "error" in line:
            n = int(parts[1])
            return [(k, lines[k - 1]) for k in range(max(1, n - 10), min(len(lines), n + 5) + 1)]
    return []


class CudaCpuDevice:
    """Runs CUDA kernels on the CPU, in the thread that launches them."""

    def __init__(self, fp: str = "contract") -> None:
        self.fp = fp
        self.name = f"CUDA kernels on the CPU, compiled by {find_compiler()[0]}"
        self.is_cpu, self.launches = True, 0
        self.after_wait: Callable[[], None] | None = None  # looks at what kernels noted
        self._seen = 0
        self._built = 0.0
        self._waiting: list[Kernel] = []
        self._groups: dict[int, list[Kernel]] = {}
        self._libraries: dict[tuple[int, bool, bool], Any] = {}

    def bind(self, kernel: Kernel) -> CudaLauncher:
        if any(k.name == kernel.name for k in self._waiting):
            self._waiting = []  # another program
        self._waiting.append(kernel)
        self._groups[id(kernel)] = self._waiting
        return CudaLauncher(self, kernel)

    def wait(self) -> None:
        """Launches are done when they return; what they noted is looked at here."""
        if self.launches != self._seen:
            self._seen = self.launches
            if self.after_wait is not None:
                self.after_wait()

    def reads(self, *_: Any) -> None:
        """Arrays are where the host has them."""
        self.wait()

    def writes(self, *_: Any) -> None:
        """Arrays are where the host has them."""
        self.wait()

    def up_to_date(self, value: Any) -> Any:
        self.wait()
        return value

    def finish(self) -> None:
        """Nothing is under way."""

    def cache_bytes(self) -> int:
        return last_level_cache_bytes()

    def tile_cores(self) -> tuple[int, int]:
        """Every launch fills the device."""
        return 0, 0

    def figures(self) -> dict[str, float]:
        """Seconds of compiling."""
        return {"build": self._built}

    def locate(self, datas: list[Any]) -> tuple[list[int], tuple[int, ...], list[Any]]:
        return [d.__array_interface__["data"][0] for d in datas], (0,) * len(datas), []

    def before(self, kernel: Kernel, mirrors: list[Any]) -> None:
        """Arrays are where the host has them."""

    def function(self, kernel: Kernel, constants: Constants, long: bool, flat: bool) -> Any:
        """Figures stay arguments here: one library serves all sizes."""
        del constants
        group = self._groups[id(kernel)]
        if group is self._waiting:
            self._waiting = []
        key = (id(group), long, flat)
        if key not in self._libraries:
            began = time.perf_counter()
            path = compile_library(library_text(group, long, flat), self.fp, group)
            self._built += time.perf_counter() - began
            self._libraries[key] = ctypes.PyDLL(str(path))  # holds the GIL: kernels share threadIdx
        entry = getattr(self._libraries[key], f"ps_run_{kernel.name}")
        entry.restype = None
        return entry

    def start(self, function: Any, grid: Sizes, block: Sizes, arguments: bytearray) -> None:
        function(_Sizes(*grid), _Sizes(*block), _Byte.from_buffer(arguments) if arguments else None)


_Sizes = ctypes.c_uint * 3
_Byte = ctypes.c_char * 1
