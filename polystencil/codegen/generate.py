"""From a program to kernels and a host module: the door of code generation."""

from __future__ import annotations

from polystencil.analysis.assigned import EffectsFinder
from polystencil.codegen.arguments import dtype_name
from polystencil.codegen.array_elements import value_of
from polystencil.codegen.generated import GeneratedProgram, Parameter, Signature
from polystencil.codegen.host_kinds import Kinds, by_value
from polystencil.codegen.host_module import HostModule
from polystencil.codegen.host_plan import Planner
from polystencil.codegen.loop_units import KernelRules
from polystencil.errors import Span
from polystencil.ir.expressions import Expression
from polystencil.ir.program import Dimension, Procedure, Program, Symbol
from polystencil.ir.symbols import symbol_table
from polystencil.ir.types import Intrinsic
from polystencil.options import Options


def generate(program: Program, options: Options) -> GeneratedProgram:
    """Kernels and host program of `program`, which no pass changes any more."""
    table = symbol_table(program)
    effects = EffectsFinder(table)
    target = "cuda" if options.target in ("cuda", "cuda_cpu") else "opencl"
    strict = options.fp == "strict" and target == "opencl"
    rules = KernelRules(target, options.fp, strict_math=strict, cpu=target == "opencl")  # type: ignore[arg-type]  # one of both
    plan = Planner(program, table, effects, rules).run()
    module = HostModule(program, table, effects, Kinds(program, table, plan), plan)
    source, places = module.text()
    texts = {text.name: text.text.splitlines() for text in program.sources}

    def text_at(span: Span) -> str:
        return texts[span.file][span.line - 1] if span.file in texts and span.line <= len(texts[span.file]) else ""

    lines = tuple((number, span, text_at(span)) for number, span in places)
    kernels = tuple(launch.kernel for launches in plan.launches.values() for launch in launches)
    main = None if program.main is None else module.names.of(f"procedure {program.main.id}.{program.main.name}")
    return GeneratedProgram(
        source,
        kernels,
        tuple(plan.remarks),
        _signatures(program, module, table.symbols),
        lines,
        main,
        target,
        options.fp,
        tuple(module.printer.choices),
        tuple((span, text_at(span)) for span in rules.failures.places),
    )


def _signatures(program: Program, module: HostModule, symbols: dict[str, Symbol]) -> tuple[Signature, ...]:
    out = []
    for procedure in (*(p for m in program.modules for p in m.procedures), *program.procedures):
        if procedure.interface_only or any(d not in symbols for d in procedure.dummies):
            continue
        parameters = tuple(_parameter(symbols[d]) for d in procedure.dummies)
        function = module.names.of(f"procedure {procedure.id}.{procedure.name}")
        out.append(Signature(procedure.name, function, procedure.kind, parameters, _has_result(procedure)))
    return tuple(out)


def _has_result(procedure: Procedure) -> bool:
    return procedure.result is not None


def _parameter(symbol: Symbol) -> Parameter:
    t = symbol.type
    allocatable = bool(symbol.attributes & {"allocatable", "pointer"})
    plain = isinstance(t, Intrinsic)
    kind = "other" if not plain else "array" if symbol.shape is not None else "scalar"
    dtype = None
    if isinstance(t, Intrinsic):
        dtype = "S" if t.base == "character" else dtype_name(t)
    shape = symbol.shape or ()
    return Parameter(
        symbol.name, kind, dtype, len(shape), symbol.intent, "optional" in symbol.attributes, by_value(symbol),
        tuple(_extent(d) for d in shape), tuple(_constant(d.lower, 1) or 1 for d in shape), allocatable,
    )  # fmt: skip


def _constant(e: object, default: int | None = None) -> int | None:
    if e is None:
        return default
    return value_of(e) if isinstance(e, Expression) else None


def _extent(d: Dimension) -> int | None:
    low, high = _constant(d.lower, 1), _constant(d.upper)
    return None if low is None or high is None or isinstance(d.upper, str) else max(0, high - low + 1)
