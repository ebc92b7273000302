"""One kernel for one launch: from a loop (or other statement) to its text, arguments and mapping."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field

from polystencil.analysis.assigned import EffectsFinder, ExposedReads, base_id
from polystencil.codegen.array_elements import minus, number, value_of
from polystencil.codegen.arguments import Arguments, dtype_name
from polystencil.codegen.c_functions import FunctionPrinter
from polystencil.codegen.c_helpers import Helpers
from polystencil.codegen.c_places import ScalarPlace
from polystencil.codegen.c_unit import Scope, Unit
from polystencil.codegen.dialect import CUDA, OPENCL, Dialect, storage_type, value_type
from polystencil.codegen.iteration_space import BODY, TargetName, space_text
from polystencil.codegen.kernel import INDEX_32, ArraySpec, Kernel, Parameter
from polystencil.codegen.names import C_RESERVED, Names
from polystencil.codegen.refusal import NotLaunchable
from polystencil.codegen.strict_math import PREAMBLE as STRICT_PREAMBLE
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable, symbols_in_body
from polystencil.ir.traversal import walk_body_expressions, walk_statements
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of

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

    @property
    def dialect(self) -> Dialect:
        return OPENCL if self.target == "opencl" else CUDA


class KernelMaker:
    """Makes kernels of one program."""

    def __init__(self, table: SymbolTable, effects: EffectsFinder, rules: KernelRules) -> None:
        self.table, self.effects, self.rules = table, effects, rules
        self.exposed = ExposedReads(effects)

    def parallel(self, loop: st.ParallelLoop, name: str, procedure: str) -> Launch:
        """The kernel of a parallel loop; in order in one work item where iterations share a scalar or reduce."""
        why = self._why_in_order(loop)
        if why:
            launch = self.serial(loop, name, procedure)
            return dataclasses.replace(launch, note=why)
        unit, printer = self._start(self._written(loop))
        scope = unit.kernel_scope
        order = self._order(loop)
        lines: list[str] = []
        coordinates = _coordinates(len(order))
        for position, index in enumerate(order):
            self._index(printer, index, coordinates, position, len(order), lines)
        for identifier in sorted(self._free_scalars(loop)):
            printer.declare(_plain(self.table.symbols[identifier]), lines)
        printer.private_variables(loop, {}, lines)
        leave = scope.names.fresh(f"end_of_{loop.name or 'iteration'}")
        scope.jumps[loop.name] = (leave, leave)
        inner: list[str] = []
        if loop.mask is not None:
            condition = printer.scalar_with_prelude(loop.mask, lines)
            inner.append(f"if ({condition}) {{")
        printer.body(loop.body, inner)
        if loop.mask is not None:
            inner.append("}")
        lines += ["{", *inner, "}", f"{leave}: ;"] if f"goto {leave};" in inner else inner
        local = self._local_size(order)
        ranges = tuple((i.lower, i.upper, i.step) for i in order)
        launch = self._finish(unit, loop, name, procedure, lines, ranges, local, set())
        return dataclasses.replace(launch, free_scalars=frozenset(self._free_scalars(loop)))

    def serial(self, statement: st.Statement, name: str, procedure: str) -> Launch:
        """A kernel of one work item that runs a statement in order; scalars that live on are written back."""
        written = self._written(statement)
        unit, printer = self._start(written)
        before: list[str] = []
        after: list[str] = []
        exposed = self.exposed.of_body((statement,))
        back: set[str] = set()
        for identifier in sorted(written):
            symbol = self.table.symbols.get(identifier)
            if symbol is None or symbol.shape is not None or not isinstance(symbol.type, Intrinsic):
                continue
            if symbol.attributes & {"pointer", "target", "volatile", "allocatable"} or symbol.block is not None:
                back.add(identifier)
                continue
            if identifier in self.rules.private and identifier not in exposed:
                printer.declare(_plain(symbol), before)
                continue
            back.add(identifier)
            place, _ = printer.designate(x.Ref(identifier, symbol.type))
            printer.declare(_plain(symbol), before)
            here = unit.kernel_scope.places[identifier]
            element = printer.element(place, ())
            before.append(f"{here.text} = {element};")
            after.append(f"{element} = {here.text};")
        lines: list[str] = []
        printer.body((statement,), lines)
        return self._finish(unit, statement, name, procedure, [*before, *lines, *after], (), (1,), back)

    def _start(self, written: set[str]) -> tuple[Unit, FunctionPrinter]:
        names = Names(C_RESERVED, frozenset({"x", "y", "z", "n0", "n1", "n2", "n3", "n4", "n5", "n6"}))
        dialect = self.rules.dialect
        unit = Unit(self.table, self.effects, dialect, self.rules.strict_math, Arguments(names), Helpers(dialect), written)
        unit.kernel_scope = Scope(names)
        return unit, FunctionPrinter(unit, unit.kernel_scope)

    def _written(self, statement: st.Statement) -> set[str]:
        """Ids that the statement changes and that live outside of it."""
        effects = self.effects.of_body((statement,))
        if effects.unknown:
            raise NotLaunchable(f"a call of {effects.unknown[0]}")
        inside = {symbol.id for symbol in symbols_in_body((statement,))}
        for s in walk_statements((statement,)):
            if isinstance(s, st.ParallelLoop):
                inside |= {index.ref.id for index in s.indices}
        return effects.writes - inside

    def _free_scalars(self, loop: st.ParallelLoop) -> set[str]:
        """Scalars that the body assigns without saying whose they are."""
        return {i for i in self._written(loop) if self.table.symbols[i].shape is None}

    def _why_in_order(self, loop: st.ParallelLoop) -> str:
        """Why iterations cannot run side by side; empty when they can."""
        if loop.reductions:
            return "the reduction runs in the order of the iterations"
        exposed = self.exposed.of_body(loop.body)
        indices = {index.ref.id for index in loop.indices}
        private = {symbol.id for symbol in loop.locals}
        for identifier in sorted(self._free_scalars(loop)):
            symbol = self.table.symbols[identifier]
            if not isinstance(symbol.type, Intrinsic):
                return f"iterations share the record {symbol.name}"
            if identifier in exposed and identifier not in private | indices:
                return f"an iteration reads {symbol.name} before it assigns it"
            if symbol.attributes & {"pointer", "target", "volatile", "allocatable", "save"} or symbol.block is not None:
                return f"iterations share {symbol.name}"
            if identifier in self.rules.live:
                return f"the value that {symbol.name} has after the loop is used"
        if loop.mask is not None:
            changed = self.effects.of_body(loop.body).writes - private
            if self.effects.of_expression(loop.mask).reads & changed:
                raise NotLaunchable("the mask reads what the body changes")
        return ""

    def _order(self, loop: st.ParallelLoop) -> list[st.LoopIndex]:
        """Indices with the contiguous one first, then from the innermost outwards."""
        stores: Counter[str] = Counter()
        loads: Counter[str] = Counter()
        names = {index.ref.id for index in loop.indices}
        for s in walk_statements(loop.body):
            if isinstance(s, st.Assign) and isinstance(s.target, x.Element):
                for node in _refs(s.target.indices[0]):
                    if node in names:
                        stores[node] += 1
        for e in walk_body_expressions(loop.body):
            if isinstance(e, x.Element):
                for node in _refs(e.indices[0]):
                    if node in names:
                        loads[node] += 1
        best = (stores or loads).most_common(1)
        rest = list(loop.indices)[::-1]
        if best:
            first = next(i for i in rest if i.ref.id == best[0][0])
            rest.remove(first)
            rest.insert(0, first)
        return rest

    def _index(
        self, printer: FunctionPrinter, index: st.LoopIndex, coordinates: list[str], position: int, count: int, lines: list[str]
    ) -> None:
        t = printer.intrinsic(index.ref)
        ctype = value_type(t, self.rules.dialect)
        names = printer.scope.names
        name = names.fresh(index.ref.id.rsplit(".", 1)[-1])
        coordinate = coordinates[position]
        step = value_of(index.step)
        first = value_of(index.lower)
        moved = coordinate if step == 1 else f"{coordinate} * {self._bound(printer, index.step, t, name + '_step')}"
        if first is None:
            start = self._bound(printer, index.lower, t, name + "_first")
        else:
            start = str(first)
        value = moved if first == 0 else f"{moved} + {start}" if first is None or first > 0 else f"{moved} - {-first}"
        lines.append(f"const {ctype} {name} = {value};")
        printer.scope.places[index.ref.id] = ScalarPlace(name, t, f"&{name}")
        printer.scope.counters.add(index.ref.id)
        printer.scope.indices.add(index.ref.id)

    def _bound(self, printer: FunctionPrinter, e: x.Expression, t: Intrinsic, wish: str) -> str:
        """A bound of the loop: a number, or a scalar argument that the host evaluates."""
        known = value_of(e)
        if known is not None:
            return str(known) if known >= 0 else f"({known})"
        from polystencil.codegen.arguments import ScalarArgument

        arguments = printer.unit.arguments
        key = x.Paren(e)
        if key not in arguments.scalars:
            arguments.scalars[key] = ScalarArgument(arguments.names.fresh(wish), e, t)
        return arguments.scalars[key].name

    def _local_size(self, order: list[st.LoopIndex]) -> tuple[int, ...]:
        """Items per group: full rows where the extent is known, at least `cells` cells where rows are short."""
        extent = value_of(minus(order[0].upper, order[0].lower))
        if extent is None or value_of(order[0].step) != 1:
            return (self.rules.cells,)
        extent += 1
        sizes = (1024, 512, 256, 128, 64) if self.rules.cpu else (256, 128, 64)
        best = min(sizes, key=lambda size: (-(-extent // size) * size, -size))
        if len(order) > 1 and best < self.rules.cells:
            return best, self.rules.cells // best
        return (best,)

    def _finish(
        self, unit: Unit, statement: st.Statement, name: str, procedure: str, lines: list[str],
        ranges: tuple[tuple[x.Expression, x.Expression, x.Expression], ...], local: tuple[int, ...], back: set[str],
    ) -> Launch:  # fmt: skip
        rules, dialect = self.rules, self.rules.dialect
        arguments = unit.arguments
        parameters: list[Parameter] = []
        declarations: list[str] = []
        text = "\n".join(lines)
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
            parameters.append(Parameter("scalar", s.name, "int32" if s.type.base == "logical" else dtype_name(s.type), k))
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
            body = space.body.replace("n2", " * ".join(f"n{k}" for k in range(2, len(ranges)))) if len(ranges) > 3 else space.body
            body = body.replace(BODY, "{\n" + text + "\n}")
            preamble.append(space.macros)
            prefix = space.prefix.strip() + " "
        else:
            body = text + "\n}\n"
            prefix = _SERIAL_TEXT if rules.target == "opencl" else 'extern "C" __global__ void '
        preamble += [*unit.helpers.texts.values(), *unit.function_texts]
        if any("const" in d and d.startswith(dialect.global_space) for d in declarations) and unit.function_texts:
            declarations = [d.replace(f"{dialect.global_space}const ", dialect.global_space, 1) for d in declarations]
        head = indent("\n".join(preamble)) + f"\n\n{prefix}{name}({', '.join(declarations)})\n{{\n"
        arrays = tuple(
            ArraySpec(a.name, dtype_name(a.type), a.rank, a.read, a.written, a.unit) for a in arguments.arrays.values()
        )
        scalars = tuple("int32" if s.type.base == "logical" else dtype_name(s.type) for s in arguments.scalars.values())
        kernel = Kernel(
            name, head, indent(body, 1), tuple(parameters), arrays, scalars, len(ranges), local, not ranges,
            rules.target, statement.span, procedure,
        )  # fmt: skip
        effects = self.effects.of_body((statement,))
        return Launch(
            kernel, ranges, tuple(a.prefix for a in arguments.arrays.values()), tuple(s.value for s in arguments.scalars.values()),
            frozenset(back), frozenset(effects.reads), frozenset(effects.writes),
        )  # fmt: skip


def _coordinates(count: int) -> list[str]:
    """C text of each position from 0; all beyond the second share the third grid dimension."""
    if count <= 3:
        return ["x", "y", "z"][:count]
    out = ["x", "y"]
    rest = "z"
    for k in range(2, count):
        out.append(f"({rest} % n{k})" if k < count - 1 else f"({rest})")
        rest = f"{rest} / n{k}"
    return out


def _plain(symbol: Symbol) -> Symbol:
    """The symbol as a private variable: without initial value and attributes of the outer one."""
    return dataclasses.replace(symbol, attributes=frozenset(), initial=None)


def _refs(e: x.Expression) -> list[str]:
    from polystencil.ir.traversal import walk_expression

    return [node.id for node in walk_expression(e) if isinstance(node, x.Ref)]


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


__all__ = ["KernelMaker", "KernelRules", "Launch", "base_id", "number", "rank_of"]
