"""From printed statements to a whole kernel: parameters, preamble, iteration space, launch."""

from __future__ import annotations

from dataclasses import dataclass, field

from polystencil.analysis.assigned import EffectsFinder
from polystencil.codegen.arguments import ArrayArgument, dtype_name
from polystencil.codegen.c_unit import Unit
from polystencil.codegen.dialect import CUDA, OPENCL, Dialect, storage_type, value_type
from polystencil.codegen.failures import Failures
from polystencil.codegen.iteration_space import BODY, TargetName, space_text
from polystencil.codegen.kernel import INDEX_32, ArraySpec, Kernel, Parameter
from polystencil.codegen.strict_math import PREAMBLE as STRICT_PREAMBLE
from polystencil.codegen.unused import without_unused
from polystencil.codegen.vector_rows import row_macros
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.symbols import SymbolTable

_SERIAL_TEXT = "__kernel void __attribute__((reqd_work_group_size(1, 1, 1))) "


@dataclass(frozen=True)
class Launch:
    """A kernel and what the host evaluates to launch it: ranges (first, last, step), leaf arrays and scalars."""

    kernel: Kernel
    ranges: tuple[tuple[x.Expression, x.Expression, x.Expression], ...]
    arrays: tuple[x.Expression, ...]
    scalars: tuple[x.Expression, ...]
    written_scalars: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    note: str = ""
    free_scalars: frozenset[str] = frozenset()


@dataclass
class KernelRules:
    """How kernels of this compilation are printed.

    `private` are scalars whose last value nobody reads, `live` those that something reads after loops that assign them.
    """

    target: TargetName = "opencl"
    fp: str = "contract"
    strict_math: bool = False
    cpu: bool = True
    cells: int = 256
    private: set[str] = field(default_factory=set)
    live: set[str] = field(default_factory=set)
    failures: Failures = field(default_factory=Failures)

    @property
    def dialect(self) -> Dialect:
        return OPENCL if self.target == "opencl" else CUDA


class KernelAssembly:
    """Puts kernels of one program together."""

    def __init__(self, table: SymbolTable, effects: EffectsFinder, rules: KernelRules) -> None:
        self.table, self.effects, self.rules = table, effects, rules

    def _finish(
        self, unit: Unit, statement: st.Statement, name: str, procedure: str, lines: list[str],
        ranges: tuple[tuple[x.Expression, x.Expression, x.Expression], ...], local: tuple[int, ...], back: set[str],
    ) -> Launch:  # fmt: skip
        rules, dialect = self.rules, self.rules.dialect
        arguments = unit.arguments
        parameters: list[Parameter] = []
        declarations: list[str] = []
        text = "\n".join(without_unused(lines))
        for k, a in enumerate(arguments.arrays.values()):
            restrict = "" if a.aliased else ("restrict " if rules.target == "opencl" else "__restrict__ ")
            const = "" if a.written else "const "
            parameters.append(Parameter("pointer", a.name, dtype_name(a.type), k))
            declarations.append(f"{dialect.global_space}{const}{storage_type(a.type, dialect)} *{restrict}{a.name}")
        for figure in arguments.figures.values():
            parameters.append(figure)
            declarations.append(f"index_t {figure.name}")
        for k in range(len(ranges)):
            parameters.append(Parameter("range", f"n{k}", "index", k))
            declarations.append(f"index_t n{k}")
        for k, s in enumerate(arguments.scalars.values()):
            parameters.append(
                Parameter("scalar", s.name, "int32" if s.type.base == "logical" else dtype_name(s.type), k)
            )
            declarations.append(f"{value_type(s.type, dialect)} {s.name}")
        for function, parameter in arguments.maths.items():
            parameters.append(Parameter("math", parameter, function))
            declarations.append(f"ulong {parameter}")
        preamble = [dialect.preamble + INDEX_32]
        if rules.fp != "contract" and rules.fp != "fast" and rules.target == "opencl":
            preamble.insert(0, "#pragma OPENCL FP_CONTRACT OFF")
        if unit.uses_strict_math:
            preamble.append(STRICT_PREAMBLE)
        if ranges:
            dimensions = min(len(ranges), 3)
            space = space_text(dimensions, local, rules.target)
            body = (
                space.body.replace("n2", " * ".join(f"n{k}" for k in range(2, len(ranges))))
                if len(ranges) > 3
                else space.body
            )
            body = body.replace(BODY, "{\n" + text + "\n}")
            preamble.append(space.macros)
            prefix = space.prefix.strip() + " "
        else:
            body = text + "\n}\n"
            prefix = _SERIAL_TEXT if rules.target == "opencl" else 'extern "C" __global__ void '
        preamble += [*unit.helpers.texts.values(), *unit.function_texts]
        if unit.uses_rows:
            preamble.append(row_macros(rules.target))
            prefix = "PS_WIDE " + prefix
        if any("const" in d and d.startswith(dialect.global_space) for d in declarations) and unit.function_texts:
            declarations = [d.replace(f"{dialect.global_space}const ", dialect.global_space, 1) for d in declarations]
        head = indent("\n".join(preamble)) + f"\n\n{prefix}{name}({', '.join(declarations)})\n{{\n"
        arrays = tuple(
            ArraySpec(a.name, dtype_name(a.type), a.rank, a.read, a.written, a.unit, _whole(a, statement))
            for a in arguments.arrays.values()
        )
        scalars = tuple("int32" if s.type.base == "logical" else dtype_name(s.type) for s in arguments.scalars.values())
        kernel = Kernel(
            name, head, indent(body, 1), tuple(parameters), arrays, scalars, len(ranges), local, not ranges,
            rules.target, statement.span, procedure,
        )  # fmt: skip
        effects = self.effects.of_body((statement,))
        return Launch(
            kernel, ranges, tuple(a.prefix for a in arguments.arrays.values()),
            tuple(s.value for s in arguments.scalars.values()),
            frozenset(back), frozenset(effects.reads), frozenset(effects.writes),
        )  # fmt: skip


def _whole(a: ArrayArgument, statement: st.Statement) -> bool:
    """Whether the launch assigns all of the array, and the array is all there is in its allocation."""
    return isinstance(statement, st.ParallelLoop) and a.owned and getattr(a.prefix, "id", None) in statement.overwrites


def indent(text: str, level: int = 0) -> str:
    """Lines indented by their braces."""
    out = []
    for line in text.split("\n"):
        line = line.strip()
        if line.startswith("#"):
            out.append(line)
            continue
        depth = level - 1 if line.startswith("}") else level
        out.append("  " * max(depth, 0) + line if line else "")
        level += line.count("{") - line.count("}")
    return "\n".join(out)
