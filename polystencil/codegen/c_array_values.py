"""Array values inside of a kernel: constructors, array results of functions, sections and expressions as arguments.

Each of constant shape is kept in a private array; `a(i-1:i+1, j-1:j+1)` has a constant shape though its bounds are not.
"""

from __future__ import annotations

from collections import Counter

from polystencil.codegen.array_elements import number, plus, value_of
from polystencil.codegen.c_locals import LocalsPrinter
from polystencil.codegen.c_places import TextArray
from polystencil.codegen.dialect import value_type
from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir.traversal import map_expression
from polystencil.ir.types import Intrinsic
from polystencil.ir.typing import rank_of

MOST_BYTES = 2048
PRIVATE = ".private"


def constant_difference(a: x.Expression, b: x.Expression) -> int | None:
    """a - b where what is not constant is the same in both."""
    left, right = _linear(a), _linear(b)
    return left[0] - right[0] if left[1] == right[1] else None


def _linear(e: x.Expression) -> tuple[int, dict[x.Expression, int]]:
    """A constant and how often each other term is added."""
    known = value_of(e)
    if known is not None:
        return known, {}
    match e:
        case x.Paren():
            return _linear(e.operand)
        case x.Binary() if e.operator in ("+", "-"):
            (c, terms), (d, more) = _linear(e.left), _linear(e.right)
            sign = 1 if e.operator == "+" else -1
            total: Counter[x.Expression] = Counter(terms)
            for term, times in more.items():
                total[term] += sign * times
            return c + sign * d, {term: times for term, times in total.items() if times}
        case _:
            return 0, {e: 1}


class ArrayValuePrinter(LocalsPrinter):
    """Keeps array values in private arrays."""

    def array_call(self, e: x.FunctionCall, lines: list[str]) -> x.Ref:
        raise NotImplementedError

    def private_array(self, wish: str, t: Intrinsic, extents: list[int], lines: list[str]) -> x.Ref:
        """Declare a private array with lower bounds 1."""
        size, strides = 1, []
        for extent in extents:
            strides.append(size)
            size *= max(extent, 0)
        if size * t.kind > MOST_BYTES:
            raise NotLaunchable("an array value that is too large to be private, inside of a kernel")
        name = self.scope.names.fresh(wish)
        lines.append(f"{value_type(t, self.unit.dialect)} {name}[{max(size, 1)}];")
        ref = x.Ref(name + PRIVATE, t, len(extents))
        self.scope.places[ref.id] = TextArray(
            name, t, len(extents), "private", ("1",) * len(extents), tuple(map(str, extents)),
            tuple(map(str, strides)), str(-sum(strides)),
        )  # fmt: skip
        return ref

    def with_array_values(self, e: x.Expression, lines: list[str]) -> x.Expression:
        """`e` with its array constructors and array-valued calls evaluated into private arrays."""

        def replace(node: x.Expression) -> x.Expression:
            if isinstance(node, x.ArrayConstructor):
                return self._constructor(node, lines)
            if isinstance(node, x.FunctionCall) and rank_of(node) and not self._elemental(node):
                return self.array_call(node, lines)
            return node

        return map_expression(e, replace)

    def _elemental(self, e: x.FunctionCall) -> bool:
        procedure = self.unit.table.procedures.get(e.target.id) if isinstance(e.target, x.ProcedureRef) else None
        return procedure is not None and "elemental" in procedure.prefixes

    def _constructor(self, e: x.ArrayConstructor, lines: list[str]) -> x.Ref:
        if any(isinstance(item, x.ImpliedDo) for item in e.items):
            raise NotLaunchable("an array constructor of this form inside of a kernel")
        counts = [1 if not rank_of(item) else self._total(item) for item in e.items]
        t = self.intrinsic(e)
        ref = self.private_array("items", t, [sum(counts)], lines)
        position = 1
        for item, count in zip(e.items, counts, strict=True):
            if rank_of(item):
                if rank_of(item) != 1:
                    raise NotLaunchable("an array constructor of this form inside of a kernel")
                for k in range(count):
                    self._put(ref, [number(position + k)], self.elements.element(item, [number(k)]), lines)
            else:
                self._put(ref, [number(position)], item, lines)
            position += count
        return ref

    def _total(self, e: x.Expression) -> int:
        total = 1
        for extent in self.constant_extents(e):
            total *= max(extent, 0)
        return total

    def constant_extents(self, e: x.Expression) -> list[int]:
        """The extents of an array expression; refused where they are not constant."""
        out = []
        for first, last, step in self.elements.ranges(e):
            by, difference = value_of(step), constant_difference(last, first)
            if not by or difference is None:
                raise NotLaunchable("an array value whose shape is not constant, inside of a kernel")
            out.append(max(0, (difference + by) // by))
        return out

    def array_value(self, e: x.Expression, lines: list[str]) -> x.Ref:
        """A private array that holds the value of an array expression."""
        e = self.with_array_values(e, lines)
        if isinstance(e, x.Ref) and e.id.endswith(PRIVATE):
            return e
        extents = self.constant_extents(e)
        ref = self.private_array("part", self.intrinsic(e), extents, lines)
        offsets = [self.counter("i") for _ in extents]
        for counter, extent in reversed(list(zip(offsets, extents, strict=True))):
            name = self.scope.places[counter.id].text
            lines.append(f"for (int {name} = 0; {name} < {extent}; {name}++) {{")
        self._put(ref, [plus(o, number(1)) for o in offsets], self.elements.element(e, list(offsets)), lines)
        lines += ["}"] * len(extents)
        return ref

    def _put(self, ref: x.Ref, indices: list[x.Expression], value: x.Expression, lines: list[str]) -> None:
        text = self.scalar_with_prelude(value, lines)
        place = self.scope.places[ref.id]
        lines.append(f"{self.element(place, tuple(self.subscript(i) for i in indices))} = {text};")
