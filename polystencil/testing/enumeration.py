"""The brute-force oracle: every access that a loop nest makes, in order, for given parameter values.

Only integers, loops, conditions and array elements are evaluated; what the arrays hold never matters for where a nest
of the strategies reads and writes.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from polystencil.errors import Span
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.traversal import child_expressions


@dataclass(frozen=True)
class Instance:
    """One access of one iteration: the loop values around it, outermost first, with the statements of those loops."""

    iteration: tuple[int, ...]
    loops: tuple[int, ...]
    array: str
    subscript: tuple[int, ...]
    is_write: bool
    span: Span


class NotEnumerable(Exception):
    """The nest reads values that the oracle does not know."""


def enumerate_accesses(statement: s.Statement, parameters: Mapping[str, int]) -> list[Instance]:
    """All array accesses of `statement`; `parameters` gives the value of every variable that it only reads (by id)."""
    walker = _Walker(dict(parameters))
    walker.statement(statement, (), ())
    return walker.out


class _Walker:
    def __init__(self, values: dict[str, int]) -> None:
        self.values = values
        self.out: list[Instance] = []

    def body(self, body: s.Body, iteration: tuple[int, ...], loops: tuple[int, ...]) -> None:
        for st in body:
            self.statement(st, iteration, loops)

    def statement(self, st: s.Statement, iteration: tuple[int, ...], loops: tuple[int, ...]) -> None:
        match st:
            case s.Assign():
                self.reads(st.value, iteration, loops, st.span)
                self.assign(st, iteration, loops)
            case s.If():
                for branch in st.branches:
                    self.reads(branch.condition, iteration, loops, branch.span)
                    if self.truth(branch.condition):
                        self.body(branch.body, iteration, loops)
                        return
                self.body(st.otherwise, iteration, loops)
            case s.Do():
                for value in self.range(st.lower, st.upper, st.step):
                    self.values[st.index.id] = value
                    self.body(st.body, (*iteration, value), (*loops, id(st)))
            case s.ParallelLoop():
                spaces = [list(self.range(i.lower, i.upper, i.step)) for i in st.indices]
                for point in itertools.product(*spaces):
                    self.values.update((i.ref.id, v) for i, v in zip(st.indices, point, strict=True))
                    if st.mask is None or self.truth(st.mask):
                        self.body(st.body, (*iteration, *point), (*loops, *(id(st),) * len(point)))
            case s.Block():
                self.body(st.body, iteration, loops)
            case _:
                raise NotEnumerable(type(st).__name__)

    def range(self, lower: x.Expression, upper: x.Expression, step: x.Expression) -> range:
        a, b, c = self.value(lower), self.value(upper), self.value(step)
        return range(a, b + (1 if c > 0 else -1), c)

    def assign(self, st: s.Assign, iteration: tuple[int, ...], loops: tuple[int, ...]) -> None:
        target = st.target
        if isinstance(target, x.Element) and isinstance(target.base, x.Ref):
            for i in target.indices:
                self.reads(i, iteration, loops, st.span)
            subscript = tuple(self.value(i) for i in target.indices)
            self.out.append(Instance(iteration, loops, target.base.id, subscript, True, st.span))
        elif isinstance(target, x.Ref):
            try:
                self.values[target.id] = self.value(st.value)
            except NotEnumerable:
                self.values.pop(target.id, None)

    def reads(self, e: x.Expression, iteration: tuple[int, ...], loops: tuple[int, ...], span: Span) -> None:
        for child in child_expressions(e):
            self.reads(child, iteration, loops, span)
        if isinstance(e, x.Element) and isinstance(e.base, x.Ref):
            subscript = tuple(self.value(i) for i in e.indices)
            self.out.append(Instance(iteration, loops, e.base.id, subscript, False, span))

    def truth(self, e: x.Expression) -> bool:
        return bool(self.value(e))

    def value(self, e: x.Expression) -> int:
        match e:
            case x.Literal() | x.NamedConstant() if isinstance(e.value, (bool, int)):
                return int(e.value)
            case x.Ref() if e.id in self.values:
                return self.values[e.id]
            case x.Paren() | x.Convert():
                return self.value(e.operand)
            case x.Unary():
                v = self.value(e.operand)
                return int(not v) if e.operator == ".not." else -v if e.operator == "-" else v
            case x.Binary():
                return _binary(e.operator, self.value(e.left), self.value(e.right))
            case x.IntrinsicCall():
                return _intrinsic(e.name, [self.value(a) for a in e.arguments if a is not None])
            case _:
                raise NotEnumerable(type(e).__name__)


def _binary(operator: str, a: int, b: int) -> int:
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return int(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)
        case "==" | ".eqv.":
            return int(a == b)
        case "/=" | ".neqv.":
            return int(a != b)
        case "<":
            return int(a < b)
        case "<=":
            return int(a <= b)
        case ">":
            return int(a > b)
        case ">=":
            return int(a >= b)
        case ".and.":
            return int(bool(a) and bool(b))
        case ".or.":
            return int(bool(a) or bool(b))
        case _:
            raise NotEnumerable(operator)


def _intrinsic(name: str, v: list[int]) -> int:
    match name:
        case "min":
            return min(v)
        case "max":
            return max(v)
        case "abs":
            return abs(v[0])
        case "mod":
            return abs(v[0]) % abs(v[1]) * (1 if v[0] >= 0 else -1)
        case "modulo":
            return v[0] % v[1]
        case "merge":
            return v[0] if v[2] else v[1]
        case _:
            raise NotEnumerable(name)


def meeting_pair(instances: list[Instance], first: int, last: int) -> tuple[Instance, Instance] | None:
    """Two accesses of one element, one a write, whose iterations agree in loops before `first` and differ within
    `first` to `last`; None where there is no such pair."""
    by_element: dict[tuple[str, tuple[int, ...]], list[Instance]] = defaultdict(list)
    for i in instances:
        if len(i.iteration) > last:
            by_element[i.array, i.subscript].append(i)
    for group in by_element.values():
        writes = [i for i in group if i.is_write]
        for w, a in itertools.product(writes, group):
            same_outside = w.iteration[:first] == a.iteration[:first] and w.loops[: last + 1] == a.loops[: last + 1]
            if same_outside and w.iteration[first : last + 1] != a.iteration[first : last + 1]:
                return w, a
    return None


def iterations(instances: list[Instance]) -> Iterator[tuple[int, ...]]:
    """The iteration vectors that occur."""
    yield from {i.iteration for i in instances}
