"""The other end of `polystencil compile`: from the literals in a written host module back to an executable.

This file is shipped with the modules that it serves; a written module calls `load` and `main`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from polystencil.codegen.generated import GeneratedProgram, Parameter, Signature
from polystencil.codegen.kernel import ArraySpec, Kernel
from polystencil.codegen.kernel import Parameter as KernelParameter
from polystencil.errors import PolystencilError, Span, UsageError
from polystencil.options import Options, Target
from polystencil.runtime.executable import Executable
from polystencil.runtime.load import open_device

START = "# ---- host program ----\n"
END = "# ---- end of the host program ----\n"
SIZES = "/* definitions of sizes go here */"


def load(file: str, program: dict[str, Any], device: str | None = None, target: Target | None = None) -> Executable:
    """The executable of a written module; kernels are read from the files beside it."""
    chosen: Target = target or program["target"]
    if (chosen == "opencl") != (program["target"] == "opencl"):
        raise UsageError(f"these kernels were written for {program['target']}, not for {chosen}")
    options = Options(target=chosen, fp=program["fp"], device=device)
    return Executable(_generated(Path(file), program), open_device(options))


def main(file: str, program: dict[str, Any]) -> int:
    """Run the main program with the arguments of the command line; the exit status."""
    try:
        return load(file, program).run(sys.argv[1:])
    except PolystencilError as error:
        sys.stdout.flush()
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return 130


def _generated(file: Path, program: dict[str, Any]) -> GeneratedProgram:
    text = file.read_text(encoding="utf-8", errors="surrogateescape")
    host = text.split(START, 1)[1].split(END, 1)[0]
    kernels = tuple(_kernel(file.parent, k) for k in program["kernels"])
    signatures = tuple(
        Signature(**{**s, "parameters": tuple(Parameter(**p) for p in s["parameters"])}) for s in program["signatures"]
    )
    lines = tuple((number, Span(*span), line) for number, span, line in program["lines"])
    return GeneratedProgram(
        host, kernels, (), signatures, lines, program["main"],
        "opencl" if program["target"] == "opencl" else "cuda", program["fp"],
        choices=tuple(program["choices"]),
        failures=tuple((Span(*span), line) for span, line in program["failures"]),
    )  # fmt: skip


def _kernel(folder: Path, fields: dict[str, Any]) -> Kernel:
    given = dict(fields)
    text = (folder / given.pop("file")).read_text(encoding="utf-8")
    given["head"], given["body"] = text.split(SIZES + "\n", 1)
    given["parameters"] = tuple(KernelParameter(**p) for p in given["parameters"])
    given["arrays"] = tuple(ArraySpec(**a) for a in given["arrays"])
    given["span"] = Span(**given["span"])
    return Kernel(**given)
