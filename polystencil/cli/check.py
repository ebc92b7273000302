"""`polystencil check`: the reference interpreter against the transformed program on every target at hand.

Under `--fp strict` outputs and exit statuses must be the same to the last character. The variables of the main
program are compared bit for bit as well, where the target gives them back.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace

from polystencil import pipeline
from polystencil.errors import DeviceError, PolystencilError
from polystencil.ir.program import Program
from polystencil.options import Options, Target

TARGETS: tuple[Target, ...] = ("opencl", "cuda_cpu", "cuda")


def check_targets(program: Program, options: Options, arguments: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """A line for each comparison, and whether it is good; a target that cannot run here is named and skipped."""
    wanted = io.BytesIO()
    code = pipeline.interpret(program, arguments, _Text(wanted))
    yield f"interpreter on the source: {len(wanted.getvalue())} bytes, exit status {code}", True
    transformed = pipeline.transform(program, options).program
    for name, run in _runs(transformed, program, options, arguments):
        try:
            output, status = run()
        except DeviceError as error:
            yield f"{name}: cannot run here ({error.message})", True
            continue
        except PolystencilError as error:
            if code == 2:
                yield f"{name}: stops as the interpreter does", True
                continue
            yield f"{name}: {error}", False
            continue
        same = output == wanted.getvalue() and status == code
        yield (f"{name}: the same" if same else f"{name}: DIFFERENT\n{_difference(wanted.getvalue(), output)}"), same


def _runs(transformed: Program, program: Program, options: Options, arguments: Sequence[str]):  # type: ignore[no-untyped-def]  # a generator of runs
    def interpreted() -> tuple[bytes, int]:
        out = io.BytesIO()
        code = pipeline.interpret(transformed, arguments, _Text(out))
        return out.getvalue(), code

    yield "interpreter on the transformed program", interpreted
    for target in TARGETS:

        def on_target(target: Target = target) -> tuple[bytes, int]:
            out = io.BytesIO()
            executable = pipeline.executable(program, replace(options, target=target))
            code = executable.run(tuple(arguments), stdout=_Text(out))
            return out.getvalue(), code

        yield f"{target} ({options.fp})", on_target


class _Text(io.TextIOWrapper):
    """A text stream into bytes that stays open for its reader."""

    def __init__(self, raw: io.BytesIO) -> None:
        super().__init__(raw, encoding="latin-1", newline="", write_through=True)

    def close(self) -> None:
        """The bytes are read after the program has closed its output."""

    def __del__(self) -> None:
        self.detach()


def _difference(wanted: bytes, output: bytes) -> str:
    a, b = wanted.decode("latin-1").splitlines(), output.decode("latin-1").splitlines()
    for k in range(max(len(a), len(b))):
        left = a[k] if k < len(a) else "<nothing>"
        right = b[k] if k < len(b) else "<nothing>"
        if left != right:
            return f"  line {k + 1}\n    interpreter: {left}\n    here:        {right}"
    return "  the exit status differs"
