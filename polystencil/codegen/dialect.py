"""The C dialects that kernels are printed in: OpenCL C, CUDA C++ and plain C++ differ in a few words only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from polystencil.ir.types import Intrinsic


@dataclass(frozen=True)
class Dialect:
    """What differs. `overloaded_math`: exp() serves float and double; otherwise expf()."""

    name: Literal["opencl", "cuda", "c++"]
    global_space: str
    function: str
    long: str
    overloaded_math: bool
    preamble: str


_OPENCL = """\
#define PS_FN static inline
typedef float2 c4;
typedef double2 c8;
#define ps_c4(re, im) ((float2)(re, im))
#define ps_c8(re, im) ((double2)(re, im))
"""
_CUDA = """\
#define PS_FN static __device__ inline
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long long ulong;
typedef float2 c4;
typedef double2 c8;
#define ps_c4(re, im) make_float2(re, im)
#define ps_c8(re, im) make_double2(re, im)
"""

OPENCL = Dialect("opencl", "__global ", "PS_FN", "long", True, _OPENCL)
CUDA = Dialect("cuda", "", "PS_FN", "long long", False, _CUDA)

_INTEGERS = {1: "char", 2: "short", 4: "int"}


def value_type(t: Intrinsic, dialect: Dialect) -> str:
    """The C type of a value: logicals are int, complex numbers c4 and c8."""
    if t.base == "integer":
        name = dialect.long if t.kind == 8 else _INTEGERS[t.kind]
        return "signed char" if name == "char" and dialect.name != "opencl" else name
    if t.base == "real":
        return "double" if t.kind == 8 else "float"
    if t.base == "complex":
        return f"c{t.kind}"
    if t.base == "logical":
        return "int"
    raise ValueError(f"no C type for {t.base}")


def storage_type(t: Intrinsic, dialect: Dialect) -> str:
    """The C type of an element in memory: logicals are one byte."""
    return "uchar" if t.base == "logical" else value_type(t, dialect)


def unsigned_type(kind: int) -> str:
    """The unsigned C type of an integer kind, whose arithmetic wraps."""
    return {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[kind]
