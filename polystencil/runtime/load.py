"""From a generated program to something that can be called: the host module runs, kernels are bound to a device."""

from __future__ import annotations

from typing import Any

from polystencil.codegen.generated import GeneratedProgram
from polystencil.errors import UsageError
from polystencil.options import Options
from polystencil.runtime.executable import Executable


def load(generated: GeneratedProgram, device: Any = None, options: Options | None = None) -> Executable:
    """The executable; `device` is opened from the options where it is not given."""
    options = options or Options()
    if device is None:
        device = open_device(options)
    return Executable(generated, device)


def open_device(options: Options) -> Any:
    """The device that the options ask for."""
    if options.target == "opencl":
        from polystencil.runtime.opencl import OpenCLDevice

        return OpenCLDevice(options.device, options.fp, options.specialise, timed=options.timed)
    if options.target == "cuda_cpu":
        from polystencil.runtime.cuda_cpu import CudaCpuDevice

        return CudaCpuDevice(options.fp)
    if options.target == "cuda":
        from polystencil.runtime.cuda import CudaGpu

        return CudaGpu(options.device, options.fp, options.timed)
    raise UsageError(f"target {options.target} is not available", hint="choose --target opencl")
