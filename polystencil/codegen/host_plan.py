"""What becomes a kernel and what stays host code, decided once for the whole program before anything is printed.

Parallel loops, array statements and loops over arrays become kernels where their text can be printed; a loop that is
not over arrays (a time loop) stays on the host and what is inside is looked at again.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from polystencil.analysis.assigned import EffectsFinder, ExposedReads
from polystencil.codegen.array_elements import value_of
from polystencil.codegen.array_loops import ArrayLoops
from polystencil.codegen.loop_units import KernelMaker, KernelRules, Launch
from polystencil.codegen.reduction_chunks import in_pieces
from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.directives import HOST
from polystencil.ir.program import Dimension, Procedure, Program, Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import (
    child_expressions,
    nested_bodies,
    procedures_of,
    walk_body_expressions,
    walk_expression,
    walk_statements,
)
from polystencil.ir.types import LOGICAL
from polystencil.ir.typing import rank_of
from polystencil.remarks import Remark, Status

Launches = tuple[Launch, ...]


@dataclass
class Plan:
    """`launches` by the id of the statement object; `rewritten` are statements that stand for another one."""

    launches: dict[int, Launches] = field(default_factory=dict)
    rewritten: dict[int, st.Statement] = field(default_factory=dict)
    remarks: list[Remark] = field(default_factory=list)
    kept: list[object] = field(default_factory=list)


class Planner:
    """Plans one program."""

    def __init__(self, program: Program, table: SymbolTable, effects: EffectsFinder, rules: KernelRules) -> None:
        self.program, self.table, self.effects, self.rules = program, table, effects, rules
        self.exposed = ExposedReads(effects)
        self.arrays = ArrayLoops(table, effects)
        self.plan = Plan()
        self._number = 0
        self._procedure: Procedure | None = None

    def run(self) -> Plan:
        """Plan everything twice: the second time scalars that only kernels use are private to them."""
        for _ in range(2):
            self.plan = Plan()
            self._number = 0
            for procedure in procedures_of(self.program):
                if not procedure.interface_only:
                    self._procedure = procedure
                    self._body(procedure.body)
            candidates, live = self._live_scalars()
            self.rules.private, self.rules.live = candidates - live, live
        return self.plan

    def _live_scalars(self) -> tuple[set[str], set[str]]:
        """Scalars that kernels assign, and those among others that are read where no kernel assigns them first."""
        candidates: set[str] = set()
        for launches in self.plan.launches.values():
            for launch in launches:
                candidates |= launch.written_scalars | launch.free_scalars
        live: set[str] = set()
        for identifier in candidates:
            symbol = self.table.symbols[identifier]
            if (
                symbol.attributes & {"dummy", "result", "save", "target", "pointer", "allocatable", "volatile"}
                or symbol.block
                or self.table.owner[identifier] in self.table.modules
            ):
                live.add(identifier)
        for procedure in procedures_of(self.program):
            self._live(procedure.body, live)
            if procedure.result is not None:
                live.add(procedure.result)
        return candidates, live

    def _live(self, body: st.Body, live: set[str]) -> None:
        for s in body:
            if id(s) in self.plan.launches:
                live |= self.exposed.of_body((s,))
                continue
            rewritten = self.plan.rewritten.get(id(s))
            if rewritten is not None:
                self._live((rewritten,), live)
                continue
            for e in child_expressions(s):
                live |= {n.id for n in walk_expression(e) if isinstance(n, x.Ref)}
            for inner in nested_bodies(s):
                self._live(inner, live)

    def _body(self, body: st.Body) -> None:
        for s in body:
            self._statement(s)

    def _statement(self, s: st.Statement) -> None:
        match s:
            case st.ParallelLoop():
                self._parallel(s)
            case st.Assign():
                loop = self.arrays.from_assignment(s)
                if loop is not None:
                    self._array_loops(s, [loop])
            case st.Forall():
                loops = self.arrays.from_forall(s)
                if loops:
                    self._array_loops(s, loops)
            case st.Where():
                loops = self.arrays.from_where(s)
                if loops:
                    self._array_loops(s, loops)
            case st.Do() | st.DoWhile():
                if HOST not in s.directives and self._walks_over_elements(s) and self._serial(s):
                    return
                self._body(s.body)
            case _:
                for inner in nested_bodies(s):
                    self._body(inner)

    def _name(self) -> str:
        self._number += 1
        assert self._procedure is not None
        return f"k{self._number}_{self._procedure.name}"

    def _parallel(self, s: st.ParallelLoop) -> None:
        if s.mask is not None and self.effects.of_expression(s.mask).reads & (
            self.effects.of_body(s.body).writes - {symbol.id for symbol in s.locals}
        ):
            block = self._mask_first(s)
            self.plan.rewritten[id(s)] = block
            self.plan.kept.append((s, block))
            self._body(block.body)
            return
        assert self._procedure is not None
        if s.reductions and self._pieces(s):
            return
        maker = KernelMaker(self.table, self.effects, self.rules)
        try:
            launch = maker.parallel(s, self._name(), self._procedure.name)
        except NotLaunchable as reason:
            self._number -= 1
            self._remark("refused", reason.reason, s)
            self._body(s.body)
            return
        self.plan.launches[id(s)] = (launch,)
        self.plan.kept.append(s)
        self._remark("applied", launch.note or "a kernel of one work item for each iteration", s, launch.kernel.name)

    def _pieces(self, s: st.ParallelLoop) -> bool:
        """A reduction as a loop over pieces of the iterations, where that gives what the order gives."""
        assert self._procedure is not None
        rules = self.rules
        number = len(self.plan.rewritten) + 1
        block = in_pieces(s, self.table, self._procedure.id, number, rules.fp != "strict", rules.cpu)
        if block is None:
            return False
        start, known = self._number, len(self.plan.remarks)
        self._body(block.body)
        outer = next(b for b in block.body if isinstance(b, st.ParallelLoop))
        if self.plan.launches.get(id(outer), (None,))[0] is None or self.plan.launches[id(outer)][0].note:
            for inner in walk_statements(block.body):
                self.plan.launches.pop(id(inner), None)
            self._number = start
            del self.plan.remarks[known:]
            return False
        self.plan.rewritten[id(s)] = block
        self.plan.kept.append((s, block))
        return True

    def _mask_first(self, s: st.ParallelLoop) -> st.Block:
        """The same loop with its mask computed by a loop of its own before any iteration runs."""
        assert s.mask is not None
        assert self._procedure is not None
        number = len(self.plan.rewritten) + 1
        dimensions = []
        for index in s.indices:
            step = value_of(index.step)
            low, high = (index.lower, index.upper) if step is None or step > 0 else (index.upper, index.lower)
            dimensions.append(Dimension(low, high))
        identifier = f"{self._procedure.id}.mask_of_{s.name or 'loop'}_{number}"
        symbol = Symbol(identifier, f"mask_{number}", LOGICAL, tuple(dimensions), span=s.span)
        self.table.symbols[identifier] = symbol
        self.table.owner[identifier] = self._procedure.id
        array = x.Ref(identifier, LOGICAL, len(dimensions))
        element = x.Element(array, tuple(index.ref for index in s.indices))
        first = dataclasses.replace(
            s, mask=None, body=(st.Assign(element, s.mask, span=s.span),), reductions=(), name=f"{s.name}_mask",
            locals=(), local_init=frozenset(),
        )  # fmt: skip
        return st.Block((symbol,), (first, dataclasses.replace(s, mask=element)), span=s.span)

    def _array_loops(self, s: st.Statement, loops: list[st.ParallelLoop]) -> None:
        assert self._procedure is not None
        maker = KernelMaker(self.table, self.effects, self.rules)
        start = self._number
        made = []
        try:
            for loop in loops:
                made.append(maker.parallel(loop, self._name(), self._procedure.name))
        except NotLaunchable as reason:
            self._number = start
            self._remark("refused", reason.reason, s)
            return
        self.plan.launches[id(s)] = tuple(made)
        self.plan.kept.append((s, loops))
        for launch in made:
            self._remark("applied", "array statement as a kernel", s, launch.kernel.name)

    def _serial(self, s: st.Do | st.DoWhile) -> bool:
        assert self._procedure is not None
        maker = KernelMaker(self.table, self.effects, self.rules)
        try:
            launch = maker.serial(s, self._name(), self._procedure.name)
        except NotLaunchable as reason:
            self._number -= 1
            self._remark("refused", reason.reason, s)
            return False
        self.plan.launches[id(s)] = (launch,)
        self.plan.kept.append(s)
        self._remark("applied", "in order in one work item", s, launch.kernel.name)
        return True

    def _walks_over_elements(self, s: st.Do | st.DoWhile) -> bool:
        """Whether a sequential loop is itself work on elements, rather than a frame around parallel work."""
        parallel = False
        for inner in walk_statements(s.body):
            if isinstance(inner, st.ParallelLoop) and not _tiny(inner):
                parallel = True
            elif isinstance(inner, (st.Assign, st.Where, st.Forall)) and (
                not isinstance(inner, st.Assign) or rank_of(inner.target)
            ):
                parallel = parallel or not (isinstance(s, st.Do) and _subscripted_by(s.index.id, (inner,)))
        return not parallel

    def _remark(self, status: Status, reason: str, s: st.Statement, kernel: str = "") -> None:
        assert self._procedure is not None
        self.plan.remarks.append(
            Remark("kernel", status, s.span, self._procedure.name, reason, details={"kernel": kernel} if kernel else {})
        )


def _tiny(s: st.ParallelLoop) -> bool:
    total = 1
    for index in s.indices:
        low, high, step = value_of(index.lower), value_of(index.upper), value_of(index.step)
        if low is None or high is None or not step:
            return False
        total *= max(0, (high - low + step) // step)
    return total <= 32


def _subscripted_by(identifier: str, body: st.Body) -> bool:
    for e in walk_body_expressions(body):
        if isinstance(e, (x.Element, x.Section)):
            parts = e.indices if isinstance(e, x.Element) else e.subscripts
            for part in parts:
                if any(isinstance(n, x.Ref) and n.id == identifier for n in walk_expression(part)):
                    return True
    return False
