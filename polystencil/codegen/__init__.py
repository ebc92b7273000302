"""Code generation: a program becomes Loopy kernels and a readable Python host program.

`generate` is imported when it is first asked for: a program that comes from the cache needs none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polystencil.codegen.generate import generate
    from polystencil.codegen.generated import GeneratedProgram
    from polystencil.codegen.kernel import Kernel

__all__ = ["GeneratedProgram", "Kernel", "generate"]


def __getattr__(name: str) -> Any:
    import importlib

    homes = {"generate": "generate", "GeneratedProgram": "generated", "Kernel": "kernel"}
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{homes[name]}"), name)
    globals()[name] = value
    return value
