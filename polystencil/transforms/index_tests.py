"""From a loop body to its tests of loop indices, and to the body without the tests that are decided on a set.

One walk serves both: it follows scalars forward as the polyhedral model does and keeps the iterations that reach a
place. `tests` collects what compares an index with something; `simplify` asks `proofs.decided` and takes branches.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import islpy as isl

from polystencil.analysis.definitions import Invariance, defined_in
from polystencil.analysis.storage import has_one_name
from polystencil.errors import Span
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.building import FALSE, TRUE
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.traversal import map_children, map_statement
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of, type_of
from polystencil.polyhedral.affine import Known, Scope, Truth, to_affine
from polystencil.polyhedral.bounds import bound_expression
from polystencil.polyhedral.conditions import known_value, to_sets
from polystencil.polyhedral.parameters import Parameters
from polystencil.proofs.decided import decided


@dataclass(frozen=True, eq=False)
class IndexTest:
    """A comparison that was met: `difference` is left minus right, where that is quasi-affine in the loop indices."""

    truth: Truth
    difference: isl.PwAff
    span: Span


def loop_scope(loop: s.ParallelLoop, body: s.Body, table: SymbolTable, procedure: str) -> Scope:
    """The scope inside a parallel loop: its indices are dimensions 0.. in the order of the header."""
    region = dataclasses.replace(loop, body=body)
    invariance = Invariance(table, defined_in((region,), table), procedure)
    scope = Scope(Parameters(), invariance, bound_of=lambda e: bound_expression(e, table, invariance))
    scope.indices = {i.ref.id: k for k, i in enumerate(loop.indices)}
    scope.depth = len(loop.indices)
    return scope


@dataclass(eq=False)
class BodyWalk:
    """A walk over a body at the iterations `points` (dimensions: the loop's indices, then those of inner loops)."""

    scope: Scope
    points: isl.Set
    table: SymbolTable
    tests: list[IndexTest] = dataclasses.field(default_factory=list)
    kept: list[Span] = dataclasses.field(default_factory=list)
    removed: list[Span] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.scope.reached = lambda: self.points

    def body(self, body: s.Body) -> s.Body:
        """`body` simplified for the iterations that reach it."""
        out: list[s.Statement] = []
        for st in body:
            out.extend(self.statement(st))
        return tuple(out)

    def statement(self, st: s.Statement) -> s.Body:
        match st:
            case s.Assign():
                kind = type_of(st.value)
                logical = isinstance(kind, Intrinsic) and kind.base == "logical" and rank_of(st.value) == 0
                value = self.condition(st.value, st.span)[0] if logical else self.expression(st.value, st.span)
                new = dataclasses.replace(st, target=self.subscripts(st.target, st.span), value=value)
                if isinstance(st.target, x.Ref) and st.target.rank == 0:
                    known = known_value(st.value, self.scope) if has_one_name(st.target.id, self.table) else None
                    self.scope.values[st.target.id] = known
                return (new,)
            case s.If():
                return self.if_(st)
            case s.SelectCase():
                return self.select(st)
            case s.Do():
                return (self.do(st),)
            case s.Block():
                for v in st.declarations:
                    self.scope.values[v.id] = None
                points = self.points
                inner = self.body(st.body)
                self.points = points
                if st.name:
                    self.forget(st.body)
                return (dataclasses.replace(st, body=inner),)
            case s.Exit() | s.Cycle() | s.Return():
                self.points = self.scope.empty()
                return (st,)
            case _:
                self.forget((st,))
                saved = dict(self.scope.values)
                out = map_statement(st, lambda e: e, self.apart)
                self.scope.values = saved
                return (out,)

    def apart(self, body: s.Body) -> s.Body:
        """A body of a construct that is not followed (do while): simplified at the same iterations."""
        points = self.points
        inner = self.body(body)
        self.points = points
        return inner

    def forget(self, body: s.Body) -> None:
        for id in defined_in(body, self.table).ids:
            if id not in self.scope.indices:
                self.scope.values[id] = None

    def if_(self, st: s.If) -> s.Body:
        points = self.points
        ends: list[tuple[isl.Set, dict[str, Known]]] = []
        branches: list[s.Branch] = []
        otherwise: s.Body | None = None
        for branch in st.branches:
            self.points = points
            condition, truth = self.condition(branch.condition, branch.span)
            if condition == FALSE:
                continue
            inner, end = self.branch(branch.body, points.intersect(truth.may))
            ends.append(end)
            if condition == TRUE:
                otherwise = inner
                break
            branches.append(dataclasses.replace(branch, condition=condition, body=inner))
            points = points.subtract(truth.must)
        if otherwise is None:
            otherwise, end = self.branch(st.otherwise, points)
            ends.append(end)
        self.join(ends)
        if not branches:
            return otherwise
        return (dataclasses.replace(st, branches=tuple(branches), otherwise=otherwise),)

    def branch(self, body: s.Body, points: isl.Set) -> tuple[s.Body, tuple[isl.Set, dict[str, Known]]]:
        saved = dict(self.scope.values)
        self.points = points
        inner = self.body(body)
        end = (self.points, self.scope.values)
        self.scope.values = saved
        return inner, end

    def join(self, ends: list[tuple[isl.Set, dict[str, Known]]]) -> None:
        points = ends[0][0]
        for p, _ in ends[1:]:
            points = points.union(p)
        self.points = points.coalesce()
        for id in {id for _, values in ends for id in values}:
            options = [values.get(id) for _, values in ends]
            same = all(id in values for _, values in ends) and all(o is options[0] for o in options)
            self.scope.values[id] = options[0] if same else None

    def select(self, st: s.SelectCase) -> s.Body:
        f = to_affine(st.selector, self.scope)
        selector = self.expression(st.selector, st.span)
        points = self.points
        ends: list[tuple[isl.Set, dict[str, Known]]] = []
        cases: list[s.Case] = []
        default: s.Body | None = None
        for case in st.cases:
            truth = self.case_truth(f, st.selector, case)
            value = decided(truth, points)
            (self.kept if value is None else self.removed).append(case.span)
            if value is False:
                continue
            inner, end = self.branch(case.body, points.intersect(truth.may))
            ends.append(end)
            if value is True:
                default = inner
                break
            cases.append(dataclasses.replace(case, body=inner))
            points = points.subtract(truth.must)
        if default is None:
            default, end = self.branch(st.default, points)
            ends.append(end)
        self.join(ends)
        if not cases:
            return default
        return (dataclasses.replace(st, selector=selector, cases=tuple(cases), default=default),)

    def case_truth(self, f: isl.PwAff | None, selector: x.Expression, case: s.Case) -> Truth:
        out = Truth(self.scope.empty(), self.scope.empty(), True)
        for r in case.ranges:
            part = Truth(self.scope.universe(), self.scope.universe(), True)
            for bound, operator in ((r.lower, ">="), (r.upper, "<=")):
                if bound is None:
                    continue
                b = to_affine(bound, self.scope)
                if f is None or b is None:
                    part = Truth(self.scope.universe(), self.scope.empty(), False)
                    break
                truth = to_sets(x.Binary(operator, selector, bound), self.scope)
                self.tests.append(IndexTest(truth, f.sub(b), case.span))
                part = Truth(part.may.intersect(truth.may), part.must.intersect(truth.must), True)
            out = Truth(out.may.union(part.may), out.must.union(part.must), out.exact and part.exact)
        return out

    def do(self, st: s.Do) -> s.Do:
        lower, upper = self.expression(st.lower, st.span), self.expression(st.upper, st.span)
        saved = (self.points, self.scope.depth, dict(self.scope.values))
        low, high, step = (to_affine(e, self.scope) for e in (st.lower, st.upper, st.step))
        self.forget(st.body)
        self.scope.values.pop(st.index.id, None)
        self.scope.indices[st.index.id] = self.scope.depth
        self.scope.depth += 1
        self.points = self.points.add_dims(isl.dim_type.set, 1)
        unit = isinstance(st.step, (x.Literal, x.NamedConstant)) and st.step.value == 1
        if low is not None and high is not None and step is not None and unit:
            i = to_affine(st.index, self.scope)
            if i is not None:
                low, high = (b.add_dims(isl.dim_type.in_, 1) for b in (low, high))
                self.points = self.points.intersect(i.ge_set(low)).intersect(i.le_set(high))
        inner = self.body(st.body)
        del self.scope.indices[st.index.id]
        self.points, self.scope.depth, self.scope.values = saved
        self.forget((st,))
        return dataclasses.replace(st, lower=lower, upper=upper, body=inner)

    # -- expressions -------------------------------------------------------------------------------------------

    def condition(self, e: x.Expression, span: Span) -> tuple[x.Expression, Truth]:
        """A condition with its decided parts folded, and where it holds."""
        truth = to_sets(e, self.scope)
        match e:
            case x.Paren():
                inner, truth = self.condition(e.operand, span)
                return (inner if inner in (TRUE, FALSE) else x.Paren(inner)), truth
            case x.Unary() if e.operator == ".not.":
                inner, part = self.condition(e.operand, span)
                folded = {TRUE: FALSE, FALSE: TRUE}.get(inner) if isinstance(inner, x.Literal) else None
                return folded or dataclasses.replace(e, operand=inner), part.negated()
            case x.Binary() if e.operator in (".and.", ".or."):
                return self.connective(e, span), truth
            case _:
                pass
        if isinstance(e, x.Binary) and e.operator in ("==", "/=", "<", "<=", ">", ">="):
            self.note(e.left, e.right, truth, span)
        value = decided(truth, self.points)
        if value is None:
            if not isinstance(e, x.Literal):
                self.kept.append(span)
            return self.expression(e, span), truth
        self.removed.append(span)
        return (TRUE if value else FALSE), truth

    def connective(self, e: x.Binary, span: Span) -> x.Expression:
        left, truth = self.condition(e.left, span)
        points = self.points
        stops = FALSE if e.operator == ".and." else TRUE
        self.points = points.intersect(truth.may) if e.operator == ".and." else points.subtract(truth.must)
        right, _ = self.condition(e.right, span)
        self.points = points
        if left == stops:
            return stops
        if isinstance(left, x.Literal):
            return right
        if isinstance(right, x.Literal):
            return left if right != stops else stops
        return dataclasses.replace(e, left=left, right=right)

    def note(self, a: x.Expression, b: x.Expression, truth: Truth, span: Span) -> None:
        f, g = to_affine(a, self.scope), to_affine(b, self.scope)
        if f is not None and g is not None:
            self.tests.append(IndexTest(truth, f.sub(g), span))

    def expression(self, e: x.Expression, span: Span) -> x.Expression:
        """An expression with the min, max and merge taken whose choice is decided."""
        if rank_of(e):
            return e
        e = map_children(e, lambda child: self.expression(child, span))
        if isinstance(e, x.IntrinsicCall) and e.name in ("min", "max") and len(e.arguments) == 2:
            a, b = e.arguments
            if a is None or b is None or to_affine(a, self.scope) is None or to_affine(b, self.scope) is None:
                return e
            truth = to_sets(x.Binary("<=", a, b), self.scope)
            self.note(a, b, truth, span)
            value = decided(truth, self.points)
            if value is not None:
                return a if value == (e.name == "min") else b
        if isinstance(e, x.IntrinsicCall) and e.name == "merge":
            t, f, mask = e.arguments[:3]
            condition = None if mask is None else self.condition(mask, span)[0]
            if condition in (TRUE, FALSE) and t is not None and f is not None:
                return t if condition == TRUE else f
        return e

    def subscripts(self, e: x.Expression, span: Span) -> x.Expression:
        if isinstance(e, x.Element):
            return x.Element(self.subscripts(e.base, span), tuple(self.expression(i, span) for i in e.indices))
        return e
