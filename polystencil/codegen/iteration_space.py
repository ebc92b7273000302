"""Iteration spaces through Loopy: which work item runs which iteration, with the guards at the edges.

Loopy gets the domain and the mapping to groups and items; the statement text is put in by `loop_units`. The same
shape of domain serves many kernels, so each is generated once for a process.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal

TargetName = Literal["opencl", "cuda"]
BODY = "PS_BODY;"


@dataclass(frozen=True)
class SpaceText:
    """`macros` and the part from the function's opening brace; `prefix` are the words before its name."""

    macros: str
    prefix: str
    body: str


@functools.cache
def space_text(dimensions: int, local_size: tuple[int, ...], target: TargetName) -> SpaceText:
    """Text of a kernel over `0 <= x < n0`, `y < n1`, `z < n2`; x and y are split into groups of `local_size`."""
    import loopy as lp
    import numpy as np
    from pymbolic import var

    names = "xyz"[:dimensions]
    domain = f"{{ [{', '.join(names)}]: " + " and ".join(f"0 <= {v} < n{k}" for k, v in enumerate(names)) + " }"
    sizes = [lp.ValueArg(f"n{k}", np.int32) for k in range(dimensions)]
    data = lp.GlobalArg("ps_data", np.int32, shape=None, is_output=True, is_input=True)
    statement = lp.CInstruction(  # type: ignore[no-untyped-call]  # Loopy is untyped here
        [(v, var(v)) for v in names], BODY, read_variables=frozenset({"ps_data"}), assignees=(), id="body"
    )
    knl = lp.make_kernel(
        domain, [statement], [data, *sizes], name="ps_kernel", lang_version=(2018, 2),
        target=lp.PyOpenCLTarget() if target == "opencl" else lp.CudaTarget(),  # type: ignore[no-untyped-call]  # as above
        assumptions=" and ".join(f"n{k} > 0" for k in range(dimensions)),
    )  # fmt: skip
    for k, v in enumerate(names):
        size = local_size[k] if k < len(local_size) else 1
        if size > 1:
            knl = lp.split_iname(knl, v, size, outer_tag=f"g.{k}", inner_tag=f"l.{k}")
        else:
            knl = lp.tag_inames(knl, {v: f"g.{k}"})
    code = lp.generate_code_v2(knl).device_code()  # type: ignore[no-untyped-call]  # as above
    start, brace = code.index("ps_kernel("), code.index("{\n")
    lead, body = code[:start], code[brace + 2 :]
    lines = lead.strip().split("\n")
    macros = "\n".join(lines[:-1]).strip().replace("((int) ", "((index_t) ")
    for v in names:
        body = body.replace(f"int {v} =", f"const index_t {v} =")
    return SpaceText(macros, lines[-1], body)
