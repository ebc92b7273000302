"""The one CUDA context of a process on each GPU, and what to install where CUDA cannot be used."""

from __future__ import annotations

import atexit
import importlib
import os
import shutil
import weakref
from typing import Any

from polystencil.errors import DeviceError

_contexts: dict[int, tuple[Any, Any]] = {}
_closing: weakref.WeakSet[Any] = weakref.WeakSet()


def driver() -> Any:
    """PyCUDA's driver module, initialised; one message says everything that is missing."""
    missing, steps = [], []
    module: Any = None
    try:
        module = importlib.import_module("pycuda.driver")
    except ImportError as problem:
        if "libcuda" in str(problem):
            missing.append("the NVIDIA driver (libcuda.so.1)")
            steps.append("install the driver of the GPU")
        else:
            missing.append("PyCUDA")
            steps.append("pip install 'polystencil[cuda]'")
    if find_nvcc() is None:
        missing.append("nvcc")
        steps.append("install the CUDA toolkit and put its bin on the PATH")
    if module is not None:
        try:
            module.init()
            if module.Device.count() == 0:
                raise RuntimeError("no device")
        except Exception as problem:  # whatever the driver says, the user needs the same steps
            missing.append(f"an NVIDIA GPU ({str(problem).strip()})")
            steps.append("check with nvidia-smi")
    if missing:
        raise DeviceError(
            "target cuda is not available here; missing: " + ", ".join(missing),
            hint="; ".join(steps) + "; --target cuda_cpu runs the same kernels without a GPU",
        )
    return module


def find_nvcc() -> str | None:
    """The path of nvcc: on the PATH, or where CUDA_HOME or the usual place has it."""
    found = shutil.which("nvcc")
    if found:
        return found
    for root in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if root and os.access(os.path.join(root, "bin", "nvcc"), os.X_OK):
            return os.path.join(root, "bin", "nvcc")
    return None


def choose(cuda: Any, name: str | None) -> Any:
    """The first GPU, or the first whose name contains `name`."""
    devices = [cuda.Device(k) for k in range(cuda.Device.count())]
    for device in devices:
        if name is None or name.lower() in device.name().lower():
            return device
    there = ", ".join(d.name() for d in devices)
    raise DeviceError(f"no CUDA device matches {name!r}", hint=f"devices: {there}")


def context_of(cuda: Any, device: Any, user: Any) -> Any:
    """The primary context of a device, current from now on; `user.close()` is called before it goes."""
    _closing.add(user)
    key = hash(device)
    if key not in _contexts:
        context = device.retain_primary_context()
        context.push()
        _contexts[key] = (context, cuda)
        atexit.register(_leave, key)
    return _contexts[key][0]


def _leave(key: int) -> None:
    for user in list(_closing):
        user.close()
    context, cuda = _contexts.pop(key)
    context.synchronize()
    cuda.Context.pop()
    context.detach()
