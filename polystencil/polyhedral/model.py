"""From a region of statements to its polyhedral model: every access with the iterations that make it.

Method: iteration domains and access relations as in Feautrier, "Dataflow analysis of array and scalar references"
(1991), with a may and a must form of each as design section 4 asks. Scalars that are assigned in the region are
followed forward where their value stays quasi-affine; calls of pure procedures are seen through.

One walk, so one file: each kind of statement adds to the same state of values, points and accesses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import islpy as isl

from polystencil.analysis.definitions import INQUIRY, Invariance, base_id, defined_in
from polystencil.analysis.storage import has_one_name
from polystencil.errors import Span
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import child_expressions, walk_expression, walk_statements
from polystencil.polyhedral.accesses import Access, Loop, LoopModel, Obstacle
from polystencil.polyhedral.affine import Known, Scope, Truth, to_affine
from polystencil.polyhedral.bounds import bound_expression
from polystencil.polyhedral.calls import Seen, bind_call
from polystencil.polyhedral.conditions import known_value, to_sets
from polystencil.polyhedral.designators import Binding, place_of, relation
from polystencil.polyhedral.parameters import Parameters, constant_value
from polystencil.polyhedral.parameters import index as index_function


def build_model(
    body: s.Body, table: SymbolTable, procedure: str, context: isl.Set | None = None,
    assume: Callable[[x.Expression], bool] | None = None,
) -> LoopModel:  # fmt: skip
    """The model of the statements `body` of procedure `procedure`; `context` constrains the parameters.

    `assume` says which conditions on shapes of arguments the host will check (`Scope.assume`).
    """
    builder = _Builder(body, table, procedure)
    if assume is not None:
        builder.scope.assume = assume
    if context is not None:
        builder.may = builder.must = context
    builder.statements(body)
    return builder.model


class _Builder:
    """One walk over the region; the attributes are what holds at the current place."""

    def __init__(self, body: s.Body, table: SymbolTable, procedure: str) -> None:
        self.table = table
        self.invariance = Invariance(table, defined_in(body, table), procedure)
        self.inside: set[str] = set()  # procedures being seen through: what they own is not invariant
        self.scope = Scope(Parameters(), self.is_invariant, bound_of=self.bound_of, reached=lambda: self.may)
        self.model = LoopModel(self.scope.parameters)
        self.loops: tuple[Loop, ...] = ()
        self.place: list[int] = [0]
        self.may = self.must = self.scope.universe()
        self.private_depth: dict[str, int] = {}
        self.bindings: dict[str, Binding] = {}
        self.procedure = procedure
        self.header_indices: set[str] = set()  # of the parallel loop whose mask is being read

    # -- names -------------------------------------------------------------------------------------------------

    def is_invariant(self, e: x.Expression) -> bool:
        if self.inside and any(
            isinstance(n, x.Ref) and self.table.owner.get(n.id) in self.inside for n in walk_expression(e)
        ):
            return False
        return self.invariance(e)

    def bound_of(self, e: x.IntrinsicCall) -> x.Expression | None:
        return bound_expression(e, self.table, self.invariance)

    # -- statements --------------------------------------------------------------------------------------------

    def statements(self, body: s.Body) -> None:
        for st in body:
            self.place[-1] += 1
            self.statement(st)

    def statement(self, st: s.Statement) -> None:
        match st:
            case s.Assign():
                self.assign(st)
            case s.If():
                self.if_(st)
            case s.SelectCase():
                self.select(st)
            case s.Do():
                self.reads(st, st.lower, st.upper, st.step)
                self.write(st.index, st.span)
                self.do(st)
            case s.DoWhile():
                self.do_while(st)
            case s.ParallelLoop():
                self.parallel(st)
            case s.Block():
                self.block(st)
            case s.Call():
                self.call(st.target, st.arguments, st.span)
            case s.Exit() | s.Cycle():
                self.may_leave()
            case s.Return() | s.Stop():
                self.obstacle("the loop may be left early", st.span)
                self.may_leave()
            case s.Continue():
                pass
            case s.Where() | s.Forall():
                self.masked(st)
            case _:
                self.obstacle(f"{_kind(st)} inside the loop", st.span)
                for e in child_expressions(st):
                    self.read(e, st.span)
                    self.write_somewhere(e, st.span)

    def assign(self, st: s.Assign) -> None:
        self.read(st.value, st.span)
        self.subscripts_of(st.target, st.span)
        value = None
        if isinstance(st.target, x.Ref) and st.target.rank == 0:
            value = known_value(st.value, self.scope)
        self.write(st.target, st.span)
        if isinstance(st.target, x.Ref) and st.target.rank == 0 and st.target.id not in self.scope.indices:
            self.scope.values[st.target.id] = value if has_one_name(st.target.id, self.table) else None

    def if_(self, st: s.If) -> None:
        states = []
        may, must = self.may, self.must
        for branch in st.branches:
            self.may, self.must = may, must
            self.read(branch.condition, branch.span)
            truth = to_sets(branch.condition, self.scope)
            states.append(self.branch(branch.body, may.intersect(truth.may), must.intersect(truth.must)))
            other = truth.negated()
            may, must = may.intersect(other.may), must.intersect(other.must)
        states.append(self.branch(st.otherwise, may, must))
        self.merge(states)

    def select(self, st: s.SelectCase) -> None:
        self.read(st.selector, st.span)
        f = to_affine(st.selector, self.scope)
        may, must = self.may, self.must
        states = []
        for case in st.cases:
            truth = self.case_truth(f, case)
            states.append(self.branch(case.body, may.intersect(truth.may), must.intersect(truth.must)))
            other = truth.negated()
            may, must = may.intersect(other.may), must.intersect(other.must)
        states.append(self.branch(st.default, may, must))
        self.merge(states)

    def case_truth(self, f: isl.PwAff | None, case: s.Case) -> Truth:
        out = Truth(self.scope.empty(), self.scope.empty(), True)
        for r in case.ranges:
            part = Truth(self.scope.universe(), self.scope.universe(), True)
            for bound, lower in ((r.lower, True), (r.upper, False)):
                if bound is None:
                    continue
                b = to_affine(bound, self.scope)
                if f is None or b is None:
                    part = Truth(self.scope.universe(), self.scope.empty(), False)
                    break
                side = f.ge_set(b) if lower else f.le_set(b)
                part = Truth(part.may.intersect(side), part.must.intersect(side), True)
            out = Truth(out.may.union(part.may), out.must.union(part.must), out.exact and part.exact)
        return out

    def branch(self, body: s.Body, may: isl.Set, must: isl.Set) -> tuple[isl.Set, isl.Set, dict[str, Known]]:
        """Run a branch on a part of the iterations; what holds at its end."""
        saved = dict(self.scope.values)
        self.may, self.must = may, must
        self.place.append(0)
        self.statements(body)
        self.place.pop()
        self.place[-1] += 1
        end = (self.may, self.must, self.scope.values)
        self.scope.values = saved
        return end

    def merge(self, states: list[tuple[isl.Set, isl.Set, dict[str, Known]]]) -> None:
        may, must = states[0][0], states[0][1]
        for m, n, _ in states[1:]:
            may, must = may.union(m), must.union(n)
        self.may, self.must = may.coalesce(), must.coalesce()
        ids = {id for _, _, values in states for id in values}
        for id in ids:
            options = [values.get(id) for _, _, values in states]
            known = all(id in values for _, _, values in states)
            same = known and all(o is options[0] for o in options)
            self.scope.values[id] = options[0] if same else None

    def block(self, st: s.Block) -> None:
        for symbol in st.declarations:
            if _is_kept(symbol):
                self.obstacle(f"{symbol.name} keeps its value between iterations", st.span)
            self.private_depth[symbol.id] = len(self.loops)
            self.scope.values.pop(symbol.id, None)
            if symbol.initial is not None and "parameter" not in symbol.attributes:
                self.scope.values[symbol.id] = None
        may, must = self.may, self.must
        leaves = _leaves(st.body, {st.name})
        if leaves:
            self.must = self.scope.empty()
        self.place.append(0)
        self.statements(st.body)
        self.place.pop()
        if leaves:
            # what left early goes on behind the block, with the values it had there
            self.may, self.must = may, must
            for id in defined_in(st.body, self.table).ids:
                self.scope.values[id] = None

    def masked(self, st: s.Where | s.Forall) -> None:
        for inner in (st, *walk_statements(_bodies(st))):
            for e in child_expressions(inner):
                if not (isinstance(inner, s.Assign) and e is inner.target):
                    self.read(e, inner.span)
            if isinstance(inner, s.Assign):
                self.subscripts_of(inner.target, inner.span)
                self.write_somewhere(inner.target, inner.span)
            elif not isinstance(inner, (s.Where, s.Forall)):
                self.obstacle(f"{_kind(inner)} inside forall", inner.span)

    def may_leave(self) -> None:
        """After a statement that may leave: what follows on this path does not run."""
        self.may, self.must = self.scope.empty(), self.scope.empty()

    # -- loops -------------------------------------------------------------------------------------------------

    @contextmanager
    def loop(self, st: s.Statement, index: str, direction: int, body: s.Body) -> Iterator[Loop]:
        """One more loop around what follows; afterwards the values that it assigned are not known."""
        position = len(self.loops)
        loop = Loop(len(self.model.loops), position, index, st, direction, True)
        self.model.loops.append(loop)
        outer = (self.loops, self.may, self.must, dict(self.scope.values))
        shadowed = self.scope.indices.get(index)
        assigned = defined_in(body, self.table).ids
        for id in assigned:
            self.scope.values[id] = None
        self.loops = (*self.loops, loop)
        self.place.append(0)
        self.scope.depth += 1
        self.may = self.may.add_dims(isl.dim_type.set, 1)
        self.must = self.must.add_dims(isl.dim_type.set, 1)
        if index:
            self.scope.indices[index] = position
            self.scope.values.pop(index, None)
        yield loop
        self.loops, self.may, self.must, self.scope.values = outer
        self.scope.depth -= 1
        self.place.pop()
        if index and shadowed is None:
            self.scope.indices.pop(index, None)
        elif index and shadowed is not None:
            self.scope.indices[index] = shadowed
        for id in assigned | ({index} if index else set()):
            self.scope.values[id] = None

    def restrict(self, lower: x.Expression, upper: x.Expression, step: x.Expression, index: str) -> None:
        """Constrain the innermost dimension to a loop's values; the bounds do not see the loop's own index."""
        scope = self.scope
        here = scope.indices.pop(index, None)
        lo, hi, st = (to_affine(e, scope) for e in (lower, upper, step))
        if here is not None:
            scope.indices[index] = here
        stride = None if st is None else constant_value(st)
        position = self.scope.indices[index]
        i = index_function(position, scope.depth)
        if lo is None or hi is None or not stride:
            self.must = scope.empty()
            if stride and lo is not None:
                self.may = self.may.intersect(i.ge_set(lo) if stride > 0 else i.le_set(lo))
            if stride and hi is not None:
                self.may = self.may.intersect(i.le_set(hi) if stride > 0 else i.ge_set(hi))
            return
        points = (
            i.ge_set(lo).intersect(i.le_set(hi)) if stride > 0 else i.le_set(lo).intersect(i.ge_set(hi))
        )
        if abs(stride) != 1:
            distance = i.sub(lo)
            points = points.intersect(distance.mod_val(isl.Val(abs(stride))).eq_set(distance.sub(distance)))
        self.may, self.must = self.may.intersect(points), self.must.intersect(points)

    def do(self, st: s.Do) -> None:
        with self.loop(st, st.index.id, self.direction(st.step), st.body) as loop:
            self.restrict(st.lower, st.upper, st.step, st.index.id)
            self.run(loop, st.body, st.name)

    def run(self, loop: Loop, body: s.Body, name: str) -> None:
        self.model.domains[loop.number] = (self.may, self.must)
        if any(isinstance(i, s.Exit) and i.target == name for i in walk_statements(body)):
            self.obstacle("the loop is left by exit", loop.statement.span)
            self.must = self.scope.empty()
        if _leaves_beyond(body, name):
            self.obstacle("the loop may be left early by exit or cycle of a construct around it", loop.statement.span)
        if _leaves(body, {name}, cycles_too=True) or _leaves_beyond(body, name):
            self.must = self.scope.empty()
        self.statements(body)

    def direction(self, step: x.Expression) -> int:
        f = to_affine(step, self.scope)
        value = None if f is None else constant_value(f)
        return 0 if not value else 1 if value > 0 else -1

    def do_while(self, st: s.DoWhile) -> None:
        with self.loop(st, "", 1, st.body) as loop:
            self.must = self.scope.empty()
            self.read(st.condition, st.span)
            self.obstacle("a do while loop runs in order", st.span)
            self.run(loop, st.body, st.name)

    def parallel(self, st: s.ParallelLoop) -> None:
        for i in st.indices:
            self.reads(st, i.lower, i.upper, i.step)
        for symbol in st.locals:
            self.private_depth[symbol.id] = len(self.loops) + len(st.indices)
        if st.mask is not None:  # evaluated for all iterations before the first one runs
            for i in st.indices:
                self.scope.values[i.ref.id] = None
            self.header_indices = {i.ref.id for i in st.indices}
            must, self.must = self.must, self.scope.empty()  # there may be no iteration
            self.read(st.mask, st.span)
            self.header_indices, self.must = set(), must
        self.nest(st, list(st.indices))

    def nest(self, st: s.ParallelLoop, indices: list[s.LoopIndex]) -> None:
        first, *rest = indices
        with self.loop(st, first.ref.id, self.direction(first.step), st.body) as loop:
            self.restrict(first.lower, first.upper, first.step, first.ref.id)
            if rest:
                self.model.domains[loop.number] = (self.may, self.must)
                self.nest(st, rest)
                return
            if st.mask is not None:
                truth = to_sets(st.mask, self.scope)
                self.may, self.must = self.may.intersect(truth.may), self.must.intersect(truth.must)
            self.run(loop, st.body, st.name)

    # -- accesses ----------------------------------------------------------------------------------------------

    def reads(self, st: s.Statement, *expressions: x.Expression) -> None:
        for e in expressions:
            self.read(e, st.span)

    def read(self, e: x.Expression, span: Span) -> None:
        """Record everything that evaluating `e` reads."""
        match e:
            case x.Literal() | x.NamedConstant() | x.ProcedureRef():
                return
            case x.Ref() | x.Element() | x.Section() | x.Component() | x.Substring():
                self.subscripts_of(e, span)
                self.record(e, False, span)
            case x.IntrinsicCall() if e.name in INQUIRY:
                if e.arguments and e.arguments[0] is not None:
                    self.subscripts_of(e.arguments[0], span)
                for a in e.arguments[1:]:
                    if a is not None:
                        self.read(a, span)
            case x.FunctionCall():
                self.call(e.target, e.arguments, span)
            case x.ImpliedDo():
                self.private_depth[e.variable.id] = len(self.loops) + 1
                self.scope.values[e.variable.id] = None
                for child in child_expressions(e):
                    self.read(child, span)
            case _:
                for child in child_expressions(e):
                    self.read(child, span)

    def subscripts_of(self, e: x.Expression, span: Span) -> None:
        """Record the reads in the subscripts of a designator, not of the designator itself."""
        while isinstance(e, (x.Element, x.Section, x.Component, x.Substring)):
            if isinstance(e, x.Element):
                for i in e.indices:
                    self.read(i, span)
            elif isinstance(e, x.Section):
                for i in e.subscripts:
                    self.read(i, span)
            elif isinstance(e, x.Substring):
                for bound in (e.lower, e.upper):
                    if bound is not None:
                        self.read(bound, span)
            e = e.base
        if not isinstance(e, x.Ref):
            self.read(e, span)

    def write(self, e: x.Expression, span: Span) -> None:
        self.record(e, True, span)

    def write_somewhere(self, e: x.Expression, span: Span) -> None:
        """A write of which only the variable is known."""
        if base_id(e) is not None:
            may, must = self.may, self.must
            self.must = self.scope.empty()
            self.record(e, True, span)
            self.may, self.must = may, must
            if isinstance(e, x.Ref):
                self.scope.values[e.id] = None

    def record(self, e: x.Expression, is_write: bool, span: Span) -> None:
        if isinstance(e, x.Ref) and (e.id in self.scope.indices or e.id in self.header_indices) and not is_write:
            return  # the index of a loop around is the iteration itself
        place = place_of(e, self.scope, self.table, self.bindings)
        if place is None or (not is_write and place.path in self.scope.indices):
            return  # also an index that a dummy argument stands for
        root = place.path.split("%", 1)[0]
        symbol = self.table.symbols.get(root)
        if symbol is not None and "parameter" in symbol.attributes:
            return
        elements, exact = relation(place, self.scope.depth)
        exact &= not _is_partial(e)
        may = elements.intersect_domain(self.may)
        if may.is_empty():
            return
        must = elements.intersect_domain(self.must) if exact else isl.Map.empty(may.get_space())
        why = "" if exact else "a subscript is not affine"
        self.model.accesses.append(
            Access(
                place.path, is_write, self.loops, may, must, tuple(self.place), e, span,
                self.private_depth.get(root, 0), why,
            )
        )  # fmt: skip

    # -- calls and obstacles -----------------------------------------------------------------------------------

    def call(self, target: x.Expression, arguments: tuple[x.Expression | None, ...], span: Span) -> None:
        seen = bind_call(target, arguments, self.table, self.scope, self.bindings, self.inside)
        for k, a in enumerate(arguments):
            if a is not None and not _is_designator(a):
                self.read(a, span)
            elif a is not None:
                self.subscripts_of(a, span)
                if not isinstance(seen, str) and k < len(seen.procedure.dummies):
                    dummy = self.table.symbols.get(seen.procedure.dummies[k])
                    if dummy is not None and "value" in dummy.attributes:
                        self.record(a, False, span)
        if isinstance(seen, str):
            self.obstacle(seen, span)
            for a in arguments:
                if a is not None and _is_designator(a):
                    self.record(a, False, span)
                    self.write_somewhere(a, span)
            return
        self.see_through(seen, span)
        for id in defined_in((s.Call(target, arguments),), self.table).ids & set(self.scope.values):
            self.scope.values[id] = None  # also a dummy of the procedure that is being seen through

    def see_through(self, seen: Seen, span: Span) -> None:
        """The accesses of a procedure's body, in terms of the caller's storage."""
        procedure = seen.procedure
        saved = (self.bindings, dict(self.scope.values), dict(self.private_depth), self.may, self.must)
        self.bindings = {**self.bindings, **seen.bindings}
        self.scope.values.update(seen.values)
        self.inside.add(procedure.id)
        for symbol in procedure.symbols:
            if symbol.id not in seen.bindings:
                self.private_depth[symbol.id] = len(self.loops)
                if symbol.id not in seen.values:
                    self.scope.values.pop(symbol.id, None)
                if _is_kept(symbol):
                    self.obstacle(f"{procedure.name} keeps a saved variable", span)
        if any(isinstance(i, (s.Return, s.Stop)) for i in walk_statements(procedure.body)):
            self.must = self.scope.empty()
        here = len(self.model.obstacles)
        self.place.append(0)
        self.statements(procedure.body)
        self.place.pop()
        self.place[-1] += 1
        # leaving the procedure is not leaving the loop
        self.model.obstacles[here:] = [
            o for o in self.model.obstacles[here:] if o.reason != "the loop may be left early"
        ]
        self.inside.discard(procedure.id)
        self.bindings, values, self.private_depth, self.may, self.must = saved
        written = defined_in(procedure.body, self.table).ids
        for id in written & set(values):
            values[id] = None
        self.scope.values = values
        for id in written & set(seen.bindings):
            root = seen.bindings[id].place.path.split("%", 1)[0]
            self.scope.values[root] = None

    def obstacle(self, reason: str, span: Span) -> None:
        self.model.obstacles.append(Obstacle(reason, span, self.loops))


def _is_partial(e: x.Expression) -> bool:
    """Whether a designator is a part of a character value."""
    while isinstance(e, (x.Element, x.Section, x.Component)):
        e = e.base
    return isinstance(e, x.Substring)


def _is_kept(symbol: Symbol) -> bool:
    """Whether a local variable keeps its value from one execution of its scope to the next."""
    saved = symbol.initial is not None or "save" in symbol.attributes or symbol.block is not None
    return saved and "parameter" not in symbol.attributes


def _is_designator(e: x.Expression) -> bool:
    return isinstance(e, (x.Ref, x.Element, x.Section, x.Component, x.Substring)) and base_id(e) is not None


def _bodies(st: s.Statement) -> s.Body:
    from polystencil.ir.traversal import nested_bodies

    return tuple(inner for body in nested_bodies(st) for inner in body)


def _leaves(body: s.Body, names: set[str], cycles_too: bool = False) -> bool:
    return any(
        (isinstance(i, s.Exit) and i.target in names) or (cycles_too and isinstance(i, s.Cycle) and i.target in names)
        for i in walk_statements(body)
    )


def _leaves_beyond(body: s.Body, name: str) -> bool:
    """Whether something in the body of a construct leaves or cycles a construct that stands around it."""
    inner = {name, *(getattr(i, "name", "") for i in walk_statements(body))}
    return any(isinstance(i, (s.Exit, s.Cycle)) and i.target not in inner for i in walk_statements(body))


def _kind(st: s.Statement) -> str:
    words: dict[type, str] = {
        s.Write: "output", s.Read: "input", s.FileStatement: "input/output", s.Allocate: "an allocation",
        s.Deallocate: "a deallocation", s.PointerAssign: "a pointer assignment", s.CallIntrinsic: "an intrinsic call",
        s.SelectType: "select type", s.NamelistTransfer: "input/output",
    }  # fmt: skip
    return words.get(type(st), type(st).__name__.lower())
