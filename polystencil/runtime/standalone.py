"""From a generated program to files that run without polystencil: kernels, a host module, and the runtime beside it.

    NAME.py                the host program, what the runtime must know of it, and `load()`
    NAME.KERNEL.cl         one file for each kernel
    polystencil_runtime/   the parts of polystencil that host programs call; they need NumPy and the device's library

The runtime's files are found by following the imports of `standalone_program`, so nothing has to be listed here.
"""

from __future__ import annotations

import ast
import dataclasses
import pprint
import re
from pathlib import Path
from typing import Any

from polystencil.codegen.generated import GeneratedProgram
from polystencil.runtime.standalone_program import END, SIZES, START

SHIPPED = "polystencil_runtime"
ROOT = "polystencil.runtime.standalone_program"
_IMPORT = re.compile(r"^(\s*(?:from|import) )polystencil\b", re.MULTILINE)
_SUFFIX = {"opencl": "cl", "cuda": "cu", "cuda_cpu": "cu"}

_HEAD = '''"""{title}: a Fortran program compiled by polystencil.

From the command line it runs the main program:  python {name}.py ARGUMENTS
From Python:  exe = {name}.load();  exe["procedure"](numpy_arrays, ...);  exe.run(arguments)
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))  # {shipped} lies beside this file

'''
_TAIL = '''

# what the runtime must know: kernels and their parameters, procedures, places in the Fortran source
PROGRAM = {program}


def load(device=None, target=None):
    """The executable on a device: the first one, or the one whose name contains `device`.

    CUDA kernels run on a GPU (target "cuda") or, compiled for the CPU, anywhere (target "cuda_cpu").
    """
    from {shipped}.runtime import standalone_program

    return standalone_program.load(__file__, PROGRAM, device, target)


if __name__ == "__main__":
    from {shipped}.runtime import standalone_program

    sys.exit(standalone_program.main(__file__, PROGRAM))
'''


def standalone_files(generated: GeneratedProgram, name: str = "program", target: str = "") -> dict[str, str]:
    """Text of each file by its path below the output folder; `target` is where the module runs unless told otherwise."""
    files = {f"{SHIPPED}/{path}": text for path, text in _runtime_files().items()}
    suffix = _SUFFIX[generated.target]
    kernels = []
    for kernel in generated.kernels:
        file = f"{name}.{kernel.name}.{suffix}"
        files[file] = f"{kernel.head}{SIZES}\n{kernel.body}"
        kernels.append({**_fields(kernel), "head": "", "body": "", "file": file})
    program = {
        "target": target or generated.target,
        "fp": generated.fp,
        "main": generated.main,
        "kernels": kernels,
        "signatures": [_fields(s) for s in generated.signatures],
        "lines": [(n, dataclasses.astuple(span), text) for n, span, text in generated.lines],
        "choices": generated.choices,
        "failures": [(dataclasses.astuple(span), text) for span, text in generated.failures],
    }
    literal = pprint.pformat(program, width=118, compact=True, sort_dicts=False)
    host = _shipped(generated.host_source)
    files[f"{name}.py"] = (
        _HEAD.format(title=name, name=name, shipped=SHIPPED) + START + host + END
        + _TAIL.format(program=literal, shipped=SHIPPED)
    )  # fmt: skip
    return files


def _fields(record: Any) -> dict[str, Any]:
    return dataclasses.asdict(record)


def _shipped(text: str) -> str:
    """Source text whose imports are of the shipped package."""
    return _IMPORT.sub(rf"\g<1>{SHIPPED}", text)


def _runtime_files() -> dict[str, str]:
    """The modules that host programs need, by path inside of the shipped package."""
    package = Path(__file__).resolve().parent.parent
    out: dict[str, str] = {}
    waiting = [ROOT, "polystencil.runtime.fortran"]
    seen: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        parts = module.split(".")[1:]
        for k in range(len(parts)):
            out.setdefault("/".join([*parts[:k], "__init__.py"]), "")
        file = package.joinpath(*parts).with_suffix(".py")
        if not file.is_file():
            continue  # a package: what is imported from it is a module of its own
        text = file.read_text(encoding="utf-8")
        out["/".join(parts) + ".py"] = _shipped(text)
        waiting += _imported(ast.parse(text), package)
    return out


def _imported(tree: ast.AST, package: Path) -> list[str]:
    """The modules of polystencil that a module imports when it runs."""
    out = []
    for node in _running(tree):
        if isinstance(node, ast.Import):
            out += [a.name for a in node.names if a.name.startswith("polystencil.")]
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "polystencil":
            if package.joinpath(*node.module.split(".")[1:]).is_dir():
                out += [f"{node.module}.{a.name}" for a in node.names]
            else:
                out.append(node.module)
    return out


def _running(tree: ast.AST) -> list[ast.AST]:
    """All nodes except those that only type checkers see."""
    out: list[ast.AST] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        out.append(node)
        waiting += list(ast.iter_child_nodes(node))
    return out
