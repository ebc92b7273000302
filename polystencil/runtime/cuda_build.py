"""From kernels to GPU code by nvcc: one translation unit for a program, kept on disk by its text."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from polystencil.codegen.kernel import Kernel
from polystencil.errors import DeviceError
from polystencil.runtime.cache import cache_folder
from polystencil.runtime.cuda_context import find_nvcc
from polystencil.runtime.cuda_launcher import Constants
from polystencil.runtime.flat_grid import kernel_text

FLAGS = {
    "strict": ("-fmad=false", "-prec-div=true", "-prec-sqrt=true", "-ftz=false"),
    "contract": (),
    "fast": ("-use_fast_math",),
}


def unit_strides(kernel: Kernel) -> Constants:
    """First strides fixed to 1: what whole arrays have."""
    return tuple((p.name, 1) for p in kernel.parameters if p.kind == "stride" and p.dimension == 0)


def program_text(kernels: list[tuple[Kernel, Constants]], long: bool, flat: bool = False) -> str:
    """One text of several kernels; helpers of each live in a namespace of its own."""
    parts = []
    for k, (kernel, constants) in enumerate(kernels):
        undo = "".join(f"#undef {name}\n" for name, _ in constants)
        parts.append(f"namespace space_{k} {{\n{kernel_text(kernel, constants, long, flat)}\n}}\n{undo}")
    return "\n".join(parts)


@functools.cache
def _version(nvcc: str) -> str:
    return subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False).stdout


def compile_cubin(
    kernels: list[tuple[Kernel, Constants]], long: bool, fp: str, architecture: str, flat: bool = False
) -> bytes:
    """GPU code of kernels for an architecture such as sm_90; an error shows the kernel's source."""
    nvcc = find_nvcc()
    if nvcc is None:
        raise DeviceError("kernels are compiled by nvcc, which is not on the PATH", hint="install the CUDA toolkit")
    text = program_text(kernels, long, flat)
    command = ["-cubin", "-std=c++17", f"-arch={architecture}", *FLAGS[fp]]
    digest = hashlib.sha256("\0".join([_version(nvcc), *command, text]).encode()).hexdigest()[:32]
    folder = cache_folder()
    kept = None if folder is None else folder / "cuda" / f"{digest}.cubin"
    if kept is not None and kept.exists():
        return kept.read_bytes()
    with tempfile.TemporaryDirectory() as work:
        source, made = Path(work) / "kernels.cu", Path(work) / "kernels.cubin"
        source.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [nvcc, *command, "-o", str(made), str(source)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise _build_error(done.stderr.replace(str(source), "kernels.cu"), text, kernels)
        code = made.read_bytes()
    if kept is not None:
        try:
            kept.parent.mkdir(parents=True, exist_ok=True)
            part = kept.with_suffix(f".{os.getpid()}.part")
            part.write_bytes(code)
            os.replace(part, kept)
        except OSError:
            pass
    return code


def _build_error(log: str, text: str, kernels: list[tuple[Kernel, Constants]]) -> DeviceError:
    lines = text.splitlines()
    shown: list[str] = []
    for line in log.splitlines():
        head, _, rest = line.partition("(")
        number = rest.partition(")")[0]
        if head == "kernels.cu" and number.isdigit() and "error" in line:
            n = int(number)
            shown = [f"{k:>4} {lines[k - 1]}" for k in range(max(1, n - 10), min(len(lines), n + 5) + 1)]
            break
    names = ", ".join(k.name for k, _ in kernels)
    excerpt = "\n".join(log.strip().splitlines()[:12])
    return DeviceError(f"nvcc does not compile kernel {names}: {excerpt}\n" + "\n".join(shown), kernels[0][0].span)
