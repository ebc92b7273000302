"""CUDA kernels for grids of one dimension: a grid has at most 65535 blocks in y and z, but 2**31 - 1 in x.

Loopy's text asks for block indices by the macro `bIdx`; here the block's number is taken apart instead.
"""

from __future__ import annotations

from polystencil.codegen.kernel import Kernel

_USUAL = "#define bIdx(N) ((index_t) blockIdx.N)"


def kernel_text(kernel: Kernel, constants: tuple[tuple[str, int], ...], long: bool, flat: bool) -> str:
    """The kernel's text, for a grid of its own shape or (`flat`) of one dimension."""
    text = kernel.text(constants, long)
    if not flat:
        return text
    assert _USUAL in text, "a kernel with a grid asks for its block"
    x, y = ((*kernel.local_size, 1, 1)[k] for k in range(2))
    rows = f"((n1 + {y - 1}) / {y})" if kernel.ranges > 1 else "1"
    columns = f"((n0 + {x - 1}) / {x})"
    macros = (
        "#define bIdx(N) ps_block_##N\n"
        f"#define ps_block_x ((index_t)blockIdx.x % {columns})\n"
        f"#define ps_block_y ((index_t)blockIdx.x / {columns} % {rows})\n"
        f"#define ps_block_z ((index_t)blockIdx.x / {columns} / {rows})"
    )
    return text.replace(_USUAL, macros) + "\n" + "".join(
        f"#undef {name}\n" for name in ("bIdx", "ps_block_x", "ps_block_y", "ps_block_z")
    )
