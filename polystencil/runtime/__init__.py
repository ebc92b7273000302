"""Devices, launches, residency of arrays, and executables. The only place that imports PyOpenCL or PyCUDA."""

from polystencil.runtime.device_options import options_for, options_for_threads
from polystencil.runtime.devices import devices_text
from polystencil.runtime.executable import Executable
from polystencil.runtime.load import load, open_device

__all__ = ["Executable", "devices_text", "load", "open_device", "options_for", "options_for_threads"]
