"""Rows inside of a tile as vector loops: the hint before the innermost loop, and what it means to each compiler.

    do concurrent (j = a:b, i = 1:n)         for (j...) {
      t(i, j) = ...                   -->      PS_ROW_4
    end do                                     for (i...) t[...] = ...

A tile runs in one work item, so that the compiler vectorises its inner loops and not the work items of a group. LLVM
prefers 256 bits on CPUs with 512; where the device says PS_VECTOR_BITS, the loop asks for as many lanes as fit.
"""

from __future__ import annotations

from polystencil.codegen.dialect import Dialect
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.directives import GENERAL, IN_TILE
from polystencil.ir.traversal import walk_statements
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import type_of

_LANES = {"real": (4, 8), "integer": (4, 8)}

_MACROS = """\
#ifdef PS_VECTOR_BITS
#pragma clang diagnostic ignored "-Wpass-failed"
#pragma clang diagnostic ignored "-Wconstant-logical-operand"
#endif
#if PS_VECTOR_BITS == 512
#define PS_WIDE __attribute__((min_vector_width(512)))
#define PS_ROW_4 _Pragma("clang loop vectorize_width(16)")
#define PS_ROW_8 _Pragma("clang loop vectorize_width(8)")
#elif defined PS_VECTOR_BITS
#define PS_WIDE
#define PS_ROW_4 _Pragma("clang loop vectorize(enable)")
#define PS_ROW_8 _Pragma("clang loop vectorize(enable)")
#else
#define PS_WIDE
#define PS_ROW_4
#define PS_ROW_8
#endif"""


def row_hint(loop: st.ParallelLoop, dialect: Dialect) -> str:
    """The macro in front of the innermost loop of a nest inside of a tile; empty where vectors would not help."""
    if IN_TILE not in loop.directives or GENERAL in loop.directives or dialect.name != "opencl" or loop.mask is not None:
        return ""
    sizes = set()
    for s in walk_statements(loop.body):
        match s:
            case st.Assign():
                kind = type_of(s.target)
                if not isinstance(kind, Intrinsic) or kind.kind not in _LANES.get(kind.base, ()):
                    return ""
                if isinstance(s.target, x.Element):
                    sizes.add(kind.kind)
            case st.Block() | st.If() | st.Continue():
                pass
            case _:
                return ""
    return f"PS_ROW_{max(sizes)}" if sizes else ""


def row_macros(target: str) -> str:
    """The definitions of the hints; a compiler that is not asked for vectors sees nothing."""
    return _MACROS if target == "opencl" else "#define PS_WIDE"
