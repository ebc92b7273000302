"""One kernel for one launch: from a loop (or other statement) to its text, arguments and mapping."""

from __future__ import annotations

import dataclasses
from collections import Counter

from polystencil.analysis.assigned import EffectsFinder, ExposedReads, base_id
from polystencil.codegen.arguments import Arguments
from polystencil.codegen.array_elements import minus, number, value_of
from polystencil.codegen.c_functions import FunctionPrinter
from polystencil.codegen.c_helpers import Helpers
from polystencil.codegen.c_places import ScalarPlace
from polystencil.codegen.c_unit import Scope, Unit
from polystencil.codegen.dialect import value_type
from polystencil.codegen.kernel_assembly import KernelAssembly, KernelRules, Launch
from polystencil.codegen.names import C_RESERVED, Names
from polystencil.codegen.reduction_chunks import PIECES
from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.directives import TILE
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable, symbols_in_body
from polystencil.ir.traversal import walk_body_expressions, walk_statements
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of


class KernelMaker(KernelAssembly):
    """Makes kernels of one program."""

    def __init__(self, table: SymbolTable, effects: EffectsFinder, rules: KernelRules) -> None:
        super().__init__(table, effects, rules)
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
            self._index(printer, index, coordinates, position, lines)
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
        alone = {PIECES, TILE}  # few iterations, each long
        local = self._local_size(order) if not alone & set(loop.directives) else (1 if self.rules.cpu else 64,)
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
        unit = Unit(
            self.table, self.effects, dialect, self.rules.strict_math, Arguments(names), Helpers(dialect), written,
            failures=self.rules.failures,
        )  # fmt: skip
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
        """Scalars that the body assigns without saying whose they are; not records of which it only assigns elements of
        array components, which each belong to one iteration as those of any array do."""
        scalars = {i for i in self._written(loop) if self.table.symbols[i].shape is None}
        records = {i for i in scalars if not isinstance(self.table.symbols[i].type, Intrinsic)}
        return scalars - {i for i in records if _only_elements(loop.body, i)}

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
        self,
        printer: FunctionPrinter,
        index: st.LoopIndex,
        coordinates: list[str],
        position: int,
        lines: list[str],
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


def _only_elements(body: st.Body, record: str) -> bool:
    """Whether all that a body may change of a record are elements of its array components."""
    for s in walk_statements(body):
        match s:
            case st.Assign():
                changed: tuple[x.Expression | None, ...] = (s.target,)
            case st.Call():
                changed = s.arguments
            case st.If() | st.SelectCase() | st.Do() | st.DoWhile() | st.Block() | st.Exit() | st.Cycle() | st.Continue():
                changed = ()
            case _:
                return False
        if any(e is not None and base_id(e) == record and not _is_element(e) for e in changed):
            return False
    return True


def _is_element(e: x.Expression) -> bool:
    """Whether a designator goes through an element or a section of an array."""
    while isinstance(e, (x.Component, x.Element, x.Section)):
        if not isinstance(e, x.Component):
            return True
        e = e.base
    return False


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


__all__ = ["KernelMaker", "KernelRules", "Launch", "base_id", "number", "rank_of"]
