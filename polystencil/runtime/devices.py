"""`polystencil devices`: what can run here, and how to get what cannot."""

from __future__ import annotations

import shutil

from polystencil.errors import DeviceError
from polystencil.runtime.opencl_choice import DeviceLine, opencl_lines


def devices_text() -> str:
    """A row for each target and device, those that can run first in each target."""
    lines = [*opencl_lines(), _cuda_cpu(), *_cuda(), DeviceLine("interpreter", "reference interpreter", True, "slow, always here")]
    compiler = shutil.which("gfortran")
    advice = "compiles what `compile --target fortran` writes; the tests compare with it"
    if compiler is None:
        lines.append(DeviceLine("fortran", "no gfortran", False, "apt-get install gfortran; " + advice))
    else:
        lines.append(DeviceLine("fortran", compiler, True, advice))
    width = max(len(line.name) for line in lines)
    rows = [f"{'target':<12} {'runs':<5} {'device':<{width}}  note"]
    rows += [f"{n.target:<12} {'yes' if n.usable else 'no':<5} {n.name:<{width}}  {n.advice}" for n in lines]
    return "\n".join(rows)


def _cuda_cpu() -> DeviceLine:
    try:
        from polystencil.runtime.cuda_cpu import find_compiler

        return DeviceLine("cuda_cpu", " ".join(find_compiler()), True, "CUDA kernels compiled for the CPU")
    except DeviceError as problem:
        return DeviceLine("cuda_cpu", "no C++ compiler", False, problem.hint)


def _cuda() -> list[DeviceLine]:
    advice = "needs an NVIDIA GPU with its driver, and PyCUDA: pip install 'polystencil[cuda]'"
    try:
        import pycuda.driver as cuda

        cuda.init()
        found = [cuda.Device(k) for k in range(cuda.Device.count())]
    except ImportError:
        return [DeviceLine("cuda", "PyCUDA is not installed", False, advice)]
    except Exception as problem:  # PyCUDA's own errors have no base class that is always there
        return [DeviceLine("cuda", f"no CUDA device ({problem})", False, advice)]
    if not found:
        return [DeviceLine("cuda", "no CUDA device", False, advice)]
    return [DeviceLine("cuda", d.name(), True, f"compute capability {d.compute_capability()}") for d in found]
