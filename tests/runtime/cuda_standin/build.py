"""Build the stand-in for CUDA: libcuda.so.1, an nvcc, and PyCUDA linked against them. About a minute of CPU time.

    python tests/runtime/cuda_standin/build.py FOLDER

What is built already is kept. Then, with POLYSTENCIL_CUDA_STANDIN=FOLDER, the tests run PyCUDA on it.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYCUDA = "2026.1"
NOT_SUPPORTED = 801
PROFILER = """\
#include <cuda.h>
typedef enum { CU_OUT_KEY_VALUE_PAIR = 0, CU_OUT_CSV = 1 } CUoutput_mode;
extern "C" CUresult cuProfilerInitialize(const char *, const char *, CUoutput_mode);
extern "C" CUresult cuProfilerStart(void);
extern "C" CUresult cuProfilerStop(void);
"""


def include_folder(folder: Path) -> Path:
    """Where cuda.h is: the toolkit's folder, or the headers that NVIDIA has on PyPI."""
    roots = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"]
    nvcc = shutil.which("nvcc")
    if nvcc:
        roots.append(str(Path(nvcc).resolve().parent.parent))
    for root in roots:
        if root and (Path(root) / "include" / "cuda.h").exists():
            return Path(root) / "include"
    headers = folder / "headers"
    if not headers.exists():
        _run(
            [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(headers), "nvidia-cuda-runtime"]
        )
    include = next(headers.rglob("cuda.h")).parent
    profiler = include / "cudaProfiler.h"
    if not profiler.exists():  # a package of its own; these three declarations are all that PyCUDA needs
        profiler.write_text(PROFILER)
    return include


def build_driver(folder: Path, include: Path, others: list[str]) -> None:
    """libcuda.so.1 with the entry points of driver.cpp; all `others` answer that they are not supported."""
    stubs = folder / "stubs.c"
    stubs.write_text("".join(f"int {name}(void) {{ return {NOT_SUPPORTED}; }}\n" for name in others))
    library = folder / "libcuda.so.1"
    objects = [folder / "driver.o", folder / "stubs.o"]
    _run(
        [
            "g++",
            "-std=c++17",
            "-O1",
            "-fPIC",
            "-w",
            f"-I{include}",
            "-c",
            str(HERE / "driver.cpp"),
            "-o",
            str(objects[0]),
        ]
    )
    _run(["gcc", "-fPIC", "-w", "-c", str(stubs), "-o", str(objects[1])])
    _run(["g++", "-shared", "-Wl,-soname,libcuda.so.1", *map(str, objects), "-ldl", "-o", str(library)])
    link = folder / "libcuda.so"
    if not link.exists():
        link.symlink_to(library.name)


def build_pycuda(folder: Path, include: Path) -> None:
    """PyCUDA from its source, without graphics and random numbers, linked against the stand-in driver."""
    pip = [sys.executable, "-m", "pip"]
    source = folder / f"pycuda-{PYCUDA}"
    if not source.exists():
        _run([*pip, "download", "-q", "--no-deps", "--no-binary", "pycuda", "-d", str(folder), f"pycuda=={PYCUDA}"])
        with tarfile.open(folder / f"pycuda-{PYCUDA}.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    choices = {
        "USE_SHIPPED_BOOST": True, "CUDA_TRACE": False, "CUDA_ROOT": str(include.parent), "CUDA_INC_DIR": [str(include)],
        "CUDA_ENABLE_GL": False, "CUDA_ENABLE_CURAND": False, "CUDADRV_LIB_DIR": [str(folder)],
        "CUDADRV_LIBNAME": ["cuda"], "CXXFLAGS": ["-O0", "-w"], "LDFLAGS": [],
    }  # fmt: skip
    (source / "siteconf.py").write_text("".join(f"{name} = {value!r}\n" for name, value in choices.items()))
    _run([*pip, "install", "-q", "--no-deps", "--no-cache-dir", "--target", str(folder / "site"), str(source)])


def missing_entries(folder: Path) -> list[str]:
    """Entry points that PyCUDA names and driver.cpp does not have."""
    (extension,) = (folder / "site" / "pycuda").glob("_driver*.so")
    wanted = set(re.findall(r"\bcu[A-Z]\w+", _output(["nm", "-D", "--undefined-only", str(extension)])))
    there = set(re.findall(r"\bcu[A-Z]\w+", _output(["nm", "--defined-only", str(folder / "driver.o")])))
    return sorted(wanted - there)


def build_compiler(folder: Path) -> None:
    """A command named nvcc that runs the stand-in compiler with this Python."""
    command = folder / "bin" / "nvcc"
    command.parent.mkdir(exist_ok=True)
    root = HERE.parent.parent.parent
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{root}" exec "{sys.executable}" "{HERE / "nvcc.py"}" "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)


def main(folder: Path) -> int:
    """Build what is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    include = include_folder(folder)
    build_compiler(folder)
    done = list((folder / "site" / "pycuda").glob("_driver*.so"))
    if not done:
        build_driver(folder, include, [])
        build_pycuda(folder, include)
    build_driver(folder, include, [])
    build_driver(folder, include, missing_entries(folder))
    print(folder)
    return 0


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
