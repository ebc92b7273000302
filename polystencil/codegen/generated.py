"""What code generation hands to the runtime: plain, picklable data, so that it can be kept on disk."""

from __future__ import annotations

from dataclasses import dataclass

from polystencil.codegen.kernel import Kernel
from polystencil.errors import Span
from polystencil.remarks import Remark


@dataclass(frozen=True)
class Parameter:
    """A dummy argument as a Python caller sees it. `dtype` is None for what Python cannot pass (records, procedures).

    `kind` is array, scalar or other; `bounds` has (lower, upper) of constant dimensions, None where not constant.
    """

    name: str
    kind: str
    dtype: str | None
    rank: int
    intent: str
    optional: bool
    by_value: bool
    extents: tuple[int | None, ...] = ()
    lowers: tuple[int, ...] = ()
    allocatable: bool = False


@dataclass(frozen=True)
class Signature:
    """A procedure that Python can call. `function` is its name in the host module."""

    name: str
    function: str
    kind: str
    parameters: tuple[Parameter, ...]
    has_result: bool


@dataclass(frozen=True)
class GeneratedProgram:
    """Host module, kernels, and what else the runtime needs. `lines` maps host lines to places in the source.

    `choices`: (pass, file, lines of the loops) of each decision at run time; the host program counts in CHOICES how
    often it took the transformed form (even places) and the original one (odd places). `failures`: places where
    kernels can divide by zero, by number from 1.
    """

    host_source: str
    kernels: tuple[Kernel, ...]
    remarks: tuple[Remark, ...]
    signatures: tuple[Signature, ...]
    lines: tuple[tuple[int, Span, str], ...]
    main: str | None
    target: str = "opencl"
    fp: str = "contract"
    choices: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    failures: tuple[tuple[Span, str], ...] = ()
