"""The brute-force oracle: every access that a loop nest makes, in order, for given parameter values.

The nest is really run, on small made-up contents of its arrays, so that conditions and subscripts may depend on data;
calls of procedures are followed. `testing.views` says which storage a designator names.

One interpreter of nests, so one file.
"""

from __future__ import annotations

import builtins
import itertools
import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from polystencil.errors import NOWHERE, Span
from polystencil.ir import expressions as x
from polystencil.ir import statements as s
from polystencil.ir.program import Symbol
from polystencil.ir.symbols import SymbolTable
from polystencil.ir.types import Intrinsic, Record
from polystencil.ir.typing import rank_of, type_of
from polystencil.testing.values import Number, binary_value, converted, intrinsic_value
from polystencil.testing.views import Cell, NotEnumerable, View, bounds_given, sequence, whole

MOST_ACCESSES = 200_000
STORAGE = (x.Ref, x.Element, x.Section, x.Component)


@dataclass(frozen=True)
class Instance:
    """One access of one iteration: the loop values around it, outermost first, with the statements of those loops."""

    iteration: tuple[int, ...]
    loops: tuple[int, ...]
    array: str
    subscript: tuple[int, ...]
    is_write: bool
    span: Span


def enumerate_accesses(
    statement: s.Statement, parameters: Mapping[str, int], table: SymbolTable | None = None, seed: int = 0
) -> list[Instance]:
    """All accesses of `statement`, scalars included but for loop indices; `parameters` gives values of variables (by id).

    `seed` chooses the contents of arrays and of scalars without a given value.
    """
    walker = _Walker(dict(parameters), table, seed)
    walker.statement(statement, (), ())
    return walker.out


def evaluate(e: x.Expression, values: Mapping[str, int]) -> Number:
    """The value of a scalar expression; `values` gives those of its variables (by id)."""
    return _Walker(dict(values), None, 0).value(e)


@dataclass(frozen=True)
class _Jump:
    """What ends a statement list: exit or cycle of a construct, or return."""

    kind: str
    target: str = ""


class _Walker:
    def __init__(self, values: dict[str, int], table: SymbolTable | None, seed: int) -> None:
        self.table, self.seed = table, seed
        self.cells: dict[tuple[str, tuple[int, ...]], Number] = {(id, ()): v for id, v in values.items()}
        self.names: dict[str, Cell | View] = {}
        self.indices: set[str] = set()
        self.out: list[Instance] = []
        self.here: tuple[tuple[int, ...], tuple[int, ...], Span] = ((), (), NOWHERE)

    # -- statements --------------------------------------------------------------------------------------------

    def body(self, body: s.Body, iteration: tuple[int, ...], loops: tuple[int, ...]) -> _Jump | None:
        for st in body:
            jump = self.statement(st, iteration, loops)
            if jump is not None:
                return jump
        return None

    def statement(self, st: s.Statement, iteration: tuple[int, ...], loops: tuple[int, ...]) -> _Jump | None:
        self.here = (iteration, loops, st.span)
        match st:
            case s.Assign():
                self.assign(st)
            case s.If():
                for branch in st.branches:
                    self.here = (iteration, loops, branch.span)
                    if self.value(branch.condition):
                        return self.body(branch.body, iteration, loops)
                return self.body(st.otherwise, iteration, loops)
            case s.SelectCase():
                return self.select(st, iteration, loops)
            case s.Do():
                points: list[tuple[int, ...]] = [(v,) for v in self.range(st.lower, st.upper, st.step)]
                return self.loop(st, (st.index.id,), points, None, iteration, loops)
            case s.ParallelLoop():
                spaces = [list(self.range(i.lower, i.upper, i.step)) for i in st.indices]
                names = tuple(i.ref.id for i in st.indices)
                return self.loop(st, names, list(itertools.product(*spaces)), st.mask, iteration, loops)
            case s.DoWhile():
                return self.do_while(st, iteration, loops)
            case s.Block():
                jump = self.body(st.body, iteration, loops)
                return None if jump is not None and jump.target == st.name and st.name else jump
            case s.Call():
                self.call(st.target, st.arguments)
            case s.Exit():
                return _Jump("exit", st.target)
            case s.Cycle():
                return _Jump("cycle", st.target)
            case s.Return():
                return _Jump("return")
            case s.Continue():
                pass
            case _:
                raise NotEnumerable(type(st).__name__)
        return None

    def select(self, st: s.SelectCase, iteration: tuple[int, ...], loops: tuple[int, ...]) -> _Jump | None:
        value = self.value(st.selector)
        for case in st.cases:
            for r in case.ranges:
                above = r.lower is None or value >= self.value(r.lower)
                if above and (r.upper is None or value <= self.value(r.upper)):
                    return self.body(case.body, iteration, loops)
        return self.body(st.default, iteration, loops)

    def loop(
        self, st: s.Do | s.ParallelLoop, names: tuple[str, ...], points: list[tuple[int, ...]], mask: x.Expression | None,
        iteration: tuple[int, ...], loops: tuple[int, ...],
    ) -> _Jump | None:  # fmt: skip
        if isinstance(st, s.Do):
            self.record(names[0], (), True)
        inner = (*loops, *(id(st),) * len(names))
        added = set(names) - self.indices
        self.indices |= added
        jump: _Jump | None = None
        if mask is not None:  # for all iterations before the first one runs
            points = [p for p in points if self.holds(mask, names, p)]
        for point in points:
            for name, v in zip(names, point, strict=True):
                self.cells[name, ()] = v
            self.here = ((*iteration, *point), inner, st.span)
            jump = self.body(st.body, (*iteration, *point), inner)
            if jump is None or (jump.target == st.name and jump.kind == "cycle"):
                jump = None
                continue
            jump = None if jump.target == st.name and jump.kind == "exit" else jump
            break
        else:
            if isinstance(st, s.Do):
                lower, upper, step = (self.quiet(e) for e in (st.lower, st.upper, st.step))
                self.cells[names[0], ()] = lower + max(0, (upper - lower + step) // step) * step if step else lower
        self.indices -= added
        return jump

    def holds(self, mask: x.Expression, names: tuple[str, ...], point: tuple[int, ...]) -> bool:
        """The mask of one iteration."""
        for name, v in zip(names, point, strict=True):
            self.cells[name, ()] = v
        return bool(self.value(mask))

    def do_while(self, st: s.DoWhile, iteration: tuple[int, ...], loops: tuple[int, ...]) -> _Jump | None:
        inner = (*loops, id(st))
        for k in range(1000):
            self.here = ((*iteration, k), inner, st.span)
            if not self.value(st.condition):
                return None
            jump = self.body(st.body, (*iteration, k), inner)
            if jump is not None and not (jump.target == st.name and jump.kind == "cycle"):
                return None if jump.target == st.name else jump
        raise NotEnumerable("an endless loop")

    def quiet(self, e: x.Expression) -> int:
        """A value without recording accesses."""
        kept, self.out = self.out, []
        value = int(self.value(e))
        self.out = kept
        return value

    def range(self, lower: x.Expression, upper: x.Expression, step: x.Expression) -> range:
        a, b, c = (int(self.value(e)) for e in (lower, upper, step))
        return range(a, b + (1 if c > 0 else -1), c)

    def assign(self, st: s.Assign) -> None:
        if rank_of(st.target) == 0:
            value = None if isinstance(type_of(st.target), Record) else self.value(st.value)
            if value is None:
                self.touch(self.resolve(st.value), st.value, False)
            self.touch(self.resolve(st.target), st.target, True, value)
            return
        target = self.resolve(st.target)
        if not isinstance(target, View):
            raise NotEnumerable("an array that is no storage")
        points = list(target.points())
        if rank_of(st.value) == 0:  # evaluated once, also for no element
            values = [self.value(st.value)] * len(points)
        else:
            values = [self.element_of(st.value, k) for k in range(len(points))]
        for point, v in zip(points, values, strict=True):
            self.record(*target.at(point), True, v)

    # -- storage -----------------------------------------------------------------------------------------------

    def record(self, path: str, subscript: tuple[int, ...], is_write: bool, value: Number | None = None) -> None:
        if path in self.indices and not is_write:
            return
        if len(self.out) > MOST_ACCESSES:
            raise NotEnumerable("too many accesses")
        iteration, loops, span = self.here
        self.out.append(Instance(iteration, loops, path, subscript, is_write, span))
        if is_write and value is not None:
            self.cells[path, subscript] = value

    def touch(self, place: Cell | View, e: x.Expression, is_write: bool, value: Number | None = None) -> None:
        """Record accesses to all of a place; a record is its components."""
        kind = type_of(e)
        if isinstance(place, View):
            for point in place.points():
                self.record(*place.at(point), is_write)
        elif isinstance(kind, Record) and self.table is not None and kind.id in self.table.types:
            for component in self.table.types[kind.id].components:
                part = x.Component(e, component.name, component.type, len(component.shape or ()))
                self.touch(self.resolve(part), part, is_write)
        else:
            self.record(place.path, place.subscript, is_write, value)

    def resolve(self, e: x.Expression) -> Cell | View:
        match e:
            case x.Ref() if e.id in self.names:
                return self.names[e.id]
            case x.Ref():
                symbol = self.table.symbols.get(e.id) if self.table is not None else None
                if e.rank == 0:
                    return Cell(e.id, ())
                return whole(e.id, self.bounds_of(symbol, e.rank))
            case x.Component():
                return self.component(e)
            case x.Element():
                base = self.resolve(e.base)
                subscript = tuple(int(self.value(i)) for i in e.indices)
                if not isinstance(base, View):
                    raise NotEnumerable("an element of a scalar")
                return Cell(*base.at(subscript))
            case x.Section():
                base = self.resolve(e.base)
                if not isinstance(base, View):
                    raise NotEnumerable("a section of a scalar")
                return base.section([self.triplet(i, *b) for i, b in zip(e.subscripts, base.bounds, strict=True)])
            case _:
                raise NotEnumerable(type(e).__name__)

    def component(self, e: x.Component) -> Cell | View:
        base = self.resolve(e.base)
        if isinstance(base, View):
            return base.component(e.field)
        path = f"{base.path}%{e.field}"
        if not e.rank:
            return Cell(path, base.subscript)
        kind = type_of(e.base)
        definition = self.table.types.get(kind.id) if self.table is not None and isinstance(kind, Record) else None
        declared = next((c for c in definition.components if c.name == e.field), None) if definition else None
        return whole(path, self.bounds_of(declared, e.rank), base.subscript)

    def bounds_of(self, symbol: object, rank: int) -> tuple[tuple[int, int], ...]:
        """Declared bounds; what is not declared has generous ones."""
        shape = getattr(symbol, "shape", None) or (None,) * rank
        out = []
        for d in shape:
            lower = self.quiet(d.lower) if d is not None and d.lower is not None else 1
            upper = self.quiet(d.upper) if d is not None and isinstance(d.upper, x.Expression) else 64
            out.append((lower, upper))
        return tuple(out)

    def triplet(self, e: x.Expression, low: int, high: int) -> builtins.range | list[int] | int:
        if isinstance(e, x.Range):
            step = 1 if e.step is None else int(self.value(e.step))
            first = low if e.lower is None else int(self.value(e.lower))
            last = high if e.upper is None else int(self.value(e.upper))
            return range(first, last + (1 if step > 0 else -1), step)
        if rank_of(e):
            return [int(self.element_of(e, k)) for k in range(self.length(e))]
        return int(self.value(e))

    def length(self, e: x.Expression) -> int:
        view = self.resolve(e)
        if not isinstance(view, View):
            raise NotEnumerable("the length of a scalar")
        return len(list(view.points()))

    # -- values ------------------------------------------------------------------------------------------------

    def value(self, e: x.Expression) -> Number:
        match e:
            case x.Literal() | x.NamedConstant() if isinstance(e.value, (bool, int, float)):
                return e.value
            case x.Ref() | x.Element() | x.Component():
                place = self.resolve(e)
                if isinstance(place, View):
                    raise NotEnumerable("an array as a value")
                self.record(place.path, place.subscript, False)
                return self.content(place.path, place.subscript, e)
            case x.Paren():
                return self.value(e.operand)
            case x.Convert():
                return converted(self.value(e.operand), e.type)
            case x.Unary():
                v = self.value(e.operand)
                return (not v) if e.operator == ".not." else -v if e.operator == "-" else v
            case x.Binary():
                return binary_value(e.operator, self.value(e.left), self.value(e.right))
            case x.IntrinsicCall():
                return self.intrinsic(e)
            case x.FunctionCall():
                return self.call(e.target, e.arguments)
            case _:
                raise NotEnumerable(type(e).__name__)

    def content(self, path: str, subscript: tuple[int, ...], e: x.Expression) -> Number:
        key = (path, subscript)
        if key not in self.cells:
            made = random.Random(f"{path} {subscript} {self.seed}")
            kind = type_of(e)
            base = kind.base if isinstance(kind, Intrinsic) else "real"
            self.cells[key] = made.randint(1, 5) if base == "integer" else (
                made.random() < 0.5 if base == "logical" else made.choice((-1.5, -0.5, 0.0, 0.25, 1.0, 2.5))
            )
        return self.cells[key]

    def element_of(self, e: x.Expression, k: int) -> Number:
        """Element `k` of an array expression in array element order; a scalar is spread."""
        if rank_of(e) == 0:
            return self.value(e)
        match e:
            case x.Ref() | x.Section() | x.Component():
                view = self.resolve(e)
                if not isinstance(view, View):
                    raise NotEnumerable("a scalar in an array's place")
                path, subscript = view.at(list(view.points())[k])
                self.record(path, subscript, False)
                return self.content(path, subscript, e)
            case x.Paren():
                return self.element_of(e.operand, k)
            case x.Convert():
                return converted(self.element_of(e.operand, k), e.type)
            case x.Unary():
                v = self.element_of(e.operand, k)
                return (not v) if e.operator == ".not." else -v if e.operator == "-" else v
            case x.Binary():
                return binary_value(e.operator, self.element_of(e.left, k), self.element_of(e.right, k))
            case x.ArrayConstructor():
                return self.value(e.items[k])
            case _:
                raise NotEnumerable(type(e).__name__)

    def intrinsic(self, e: x.IntrinsicCall) -> Number:
        first = e.arguments[0]
        if e.name in ("lbound", "ubound", "size") and first is not None:
            view = self.resolve(first)
            if not isinstance(view, View):
                raise NotEnumerable(e.name)
            d = e.arguments[1] if len(e.arguments) > 1 else None
            if d is None:
                return math.prod(max(0, b - a + 1) for a, b in view.bounds)
            low, high = view.bounds[int(self.value(d)) - 1]
            return {"lbound": low, "ubound": high, "size": max(0, high - low + 1)}[e.name]
        if first is not None and rank_of(first) == 1 and e.name in ("sum", "maxval", "minval"):
            values = [self.element_of(first, k) for k in range(self.length(first))]
            return sum(values) if e.name == "sum" else (max if e.name == "maxval" else min)(values, default=0)
        return intrinsic_value(e.name, [self.value(a) for a in e.arguments if a is not None])

    # -- calls -------------------------------------------------------------------------------------------------

    def call(self, target: x.Expression, arguments: tuple[x.Expression | None, ...]) -> Number:
        procedure = self.table.procedures.get(getattr(target, "id", "")) if self.table is not None else None
        if procedure is None or procedure.interface_only or self.table is None:
            raise NotEnumerable("a call of an unknown procedure")
        outer_names, outer_here = self.names, self.here
        new = dict(outer_names)
        own = {v.id for v in procedure.symbols}
        for key in [k for k in self.cells if k[0].split("%")[0] in own]:
            del self.cells[key]
        for id, actual in zip(procedure.dummies, arguments, strict=False):
            if actual is not None:
                new[id] = self.bound(self.table.symbols[id], actual)
        self.names = new
        for id in procedure.dummies:  # shapes stand in terms of the other dummies
            place, symbol = new.get(id), self.table.symbols[id]
            if isinstance(place, View) and symbol.shape is not None:
                self.names[id] = bounds_given(place, [
                    (self.quiet(d.lower) if d.lower is not None else 1,
                     self.quiet(d.upper) if isinstance(d.upper, x.Expression) else None)
                    for d in symbol.shape
                ])  # fmt: skip
        self.body(procedure.body, *outer_here[:2])
        result: Number = 0
        if procedure.result:
            ref = x.Ref(procedure.result, self.table.symbols[procedure.result].type)
            result = self.content(ref.id, (), ref)
        self.names, self.here = outer_names, outer_here
        return result

    def bound(self, dummy: Symbol, actual: x.Expression) -> Cell | View:
        """What a dummy names: the actual argument's storage, or a value of its own."""
        if isinstance(actual, STORAGE) and "value" not in dummy.attributes:
            if isinstance(actual, x.Element) and dummy.shape is not None:  # sequence association from an element on
                base = self.resolve(actual.base)
                if not isinstance(base, View):
                    raise NotEnumerable("an element of a scalar")
                return sequence(base, tuple(int(self.value(i)) for i in actual.indices))
            return self.resolve(actual)
        if rank_of(actual):
            raise NotEnumerable("an array expression as an argument")
        self.cells[dummy.id, ()] = self.value(actual)
        return Cell(dummy.id, ())


def meeting_pair(
    instances: list[Instance], first: int, last: int, ignored: Iterable[str] = ()
) -> tuple[Instance, Instance] | None:
    """Two accesses of one element, one a write, whose iterations agree in loops before `first` and differ within
    `first` to `last`; None where there is no such pair. `ignored` are variables that are private to an iteration."""
    skip = set(ignored)
    by_element: dict[tuple[str, tuple[int, ...]], list[Instance]] = defaultdict(list)
    seen: set[Instance] = set()
    for i in instances:
        short = replace(i, iteration=i.iteration[: last + 1], loops=i.loops[: last + 1])
        if len(i.iteration) > last and i.array.split("%")[0] not in skip and short not in seen:
            seen.add(short)
            by_element[i.array, i.subscript].append(short)
    for group in by_element.values():
        writes = [i for i in group if i.is_write]
        for w, a in itertools.product(writes, group):
            same_outside = w.iteration[:first] == a.iteration[:first] and w.loops == a.loops
            if same_outside and w.iteration[first:] != a.iteration[first:]:
                return w, a
    return None


def iterations(instances: list[Instance]) -> Iterator[tuple[int, ...]]:
    """The iteration vectors that occur."""
    yield from {i.iteration for i in instances}
