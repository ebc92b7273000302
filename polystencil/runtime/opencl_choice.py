"""Which OpenCL device is used, the same one each time; what is there, and how to get what is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from polystencil.errors import DeviceError
from polystencil.runtime.pocl_cpu import teach_pocl_this_cpu

ADVICE = "pip install pocl-binary-distribution gives an OpenCL device on any Linux x86-64 machine"


@dataclass(frozen=True)
class DeviceLine:
    """One row of `polystencil devices`."""

    target: str
    name: str
    usable: bool
    advice: str


def all_devices() -> list[Any]:
    """All OpenCL devices in a fixed order: PoCL's wheel first, then by platform name, version and device name."""
    try:
        import pyopencl as cl
    except ImportError:
        raise DeviceError("PyOpenCL is not installed", hint="pip install pyopencl pocl-binary-distribution") from None
    try:
        platforms = cl.get_platforms()
    except cl.Error:
        raise DeviceError("no OpenCL platform was found", hint=ADVICE) from None
    teach_pocl_this_cpu()
    found = []
    for platform in platforms:
        try:
            found += [(platform, device) for device in platform.get_devices()]
        except cl.Error:
            continue
    found.sort(key=lambda pair: ("Portable" not in pair[0].name, pair[0].name, pair[0].version, pair[1].name))
    return [device for _, device in found]


def choose_device(name: str | None) -> Any:
    """The first device, or the first one whose platform's or own name contains `name`."""
    devices = all_devices()
    if not devices:
        raise DeviceError("no OpenCL device was found", hint=ADVICE)
    if name is None:
        return devices[0]
    wish = name.lower()
    for device in devices:
        if wish in f"{device.platform.name} {device.platform.version} {device.name}".lower():
            return device
    there = ", ".join(sorted({d.name.strip() for d in devices}))
    raise DeviceError(f"no OpenCL device is called {name!r}", hint=f"there are: {there}")


def opencl_lines() -> list[DeviceLine]:
    """What `polystencil devices` says about OpenCL."""
    try:
        devices = all_devices()
    except DeviceError as problem:
        return [DeviceLine("opencl", problem.message, False, problem.hint)]
    if not devices:
        return [DeviceLine("opencl", "no device", False, ADVICE)]
    return [
        DeviceLine("opencl", f"{d.platform.name.strip()}: {d.name.strip()}", True, d.platform.version.strip())
        for d in devices
    ]
