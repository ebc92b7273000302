"""sum, maxval, dot_product, any, ... of array expressions inside of a kernel: loops in array element order."""

from __future__ import annotations

from polystencil.codegen.array_elements import Elements, minus, number, plus
from polystencil.codegen.c_expressions import ExpressionPrinter, suffix_of
from polystencil.codegen.c_literals import literal
from polystencil.codegen.c_places import ScalarPlace
from polystencil.codegen.dialect import value_type
from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir.types import INTEGER, INTEGER8, LOGICAL, Intrinsic
from polystencil.ir.typing import rank_of


class ReductionPrinter(ExpressionPrinter):
    """Prints reductions of arrays to scalars; the loops go to the prelude of the statement."""

    @property
    def elements(self) -> Elements:
        return Elements(self._known_bounds)

    def _known_bounds(self, e: x.Expression, d: int) -> tuple[int, int] | None:
        """Constant bounds of a whole array."""
        try:
            place, subscripts = self.designate(e)
        except NotLaunchable:
            return None
        if subscripts or not hasattr(place, "extent"):
            return None
        argument = getattr(place, "argument", None)
        if argument is not None:
            if argument.shape is None:
                return None
            low, extent = argument.shape[d]
            return low, low + extent - 1
        low_text, extent_text = place.lower(d), place.extent(d)
        if low_text.lstrip("-").isdigit() and extent_text.isdigit():
            return int(low_text), int(low_text) + int(extent_text) - 1
        return None

    def with_array_values(self, e: x.Expression, lines: list[str]) -> x.Expression:
        raise NotImplementedError

    def counter(self, wish: str) -> x.Ref:
        """A fresh loop counter of C."""
        name = self.scope.names.fresh(wish)
        ref = x.Ref(f"{name}.counter", INTEGER)
        self.scope.places[ref.id] = ScalarPlace(name, INTEGER, f"&{name}")
        self.scope.counters.add(ref.id)
        return ref

    def loops(self, e: x.Expression, lines: list[str]) -> tuple[list[x.Expression], list[str]]:
        """Open loops over all elements of `e`, the first dimension innermost; offsets from 0, and the closing lines."""
        ranges = self.elements.ranges(e)
        offsets: list[x.Expression] = []
        opens: list[str] = []
        for first, last, step in ranges:
            counter = self.counter("i")
            name = self.scope.places[counter.id].text
            count = self.extent_text(first, last, step)
            opens.append(f"for (int {name} = 0; {name} < {count}; {name}++) {{")
            offsets.append(counter)
        lines += reversed(opens)
        return offsets, ["}"] * len(opens)

    def extent_text(self, first: x.Expression, last: x.Expression, step: x.Expression) -> str:
        """The number of positions of a triplet, never negative."""
        if step == number(1):
            return self.subscript(plus(minus(last, first), number(1)))
        f, e, s = self.subscript(first), self.subscript(last), self.subscript(step)
        return f"(({e}) - ({f}) + ({s})) / ({s})"

    def scalar_with_prelude(self, e: x.Expression, lines: list[str]) -> str:
        """C text of `e`; statements that it needs first are appended to `lines`."""
        outer, self.prelude = self.prelude, []
        text = self.text(e)
        lines += self.prelude
        self.prelude = outer
        return text

    def reduce_array(self, e: x.IntrinsicCall) -> str:
        if e.rank:
            raise NotLaunchable(f"{e.name} along a dimension inside of a kernel")
        t = self.intrinsic(e)
        name = e.name
        if name in ("maxloc", "minloc", "norm2", "parity"):
            raise NotLaunchable(f"the array intrinsic {name} inside of a kernel")
        arguments = [None if a is None else self.with_array_values(a, self.prelude) for a in e.arguments]
        arguments += [None, None]
        array, second = arguments[0], arguments[1]
        assert array is not None
        mask = None
        if name in ("sum", "product", "maxval", "minval"):
            masks = [a for a in arguments[1:] if a is not None and self._is_logical(a)]
            mask = masks[0] if masks else None
        result = self.scope.names.fresh(name)
        ctype = value_type(t, self.unit.dialect)
        lines = [f"{ctype} {result} = {self._start(name, t)};"]
        offsets, closing = self.loops(array, lines)
        element = self.elements.element(array, offsets)
        if mask is not None:
            condition = self.scalar_with_prelude(self.elements.element(mask, offsets) if rank_of(mask) else mask, lines)
            lines.append(f"if ({condition}) {{")
            closing.append("}")
        if name == "dot_product":
            assert second is not None
            other = self.elements.element(second, offsets)
            source = self.intrinsic(element)
            if t.base != "logical":
                element, other, source = x.Convert(element, t), x.Convert(other, t), t
            if source.base == "complex":
                element = x.IntrinsicCall("conjg", (element,), t)
            element = x.Binary(".and." if source.base == "logical" else "*", element, other)
        value = self.scalar_with_prelude(element, lines)
        lines.append(self._step(name, t, result, value))
        self.prelude += lines + closing
        return result

    def _is_logical(self, e: x.Expression) -> bool:
        return self.intrinsic(e).base == "logical"

    def _start(self, name: str, t: Intrinsic) -> str:
        if name == "product":
            return literal(1, t)
        if name in ("maxval", "minval"):
            if t.base == "integer":
                limit = -(2 ** (8 * t.kind - 1)) if name == "maxval" else 2 ** (8 * t.kind - 1) - 1
                return literal(limit, t)
            huge = 3.4028234663852886e38 if t.kind == 4 else 1.7976931348623157e308
            return literal(-huge if name == "maxval" else huge, t)
        return literal(name == "all" if t.base == "logical" else 0, t)

    def _step(self, name: str, t: Intrinsic, result: str, value: str) -> str:
        if name == "dot_product" and t.base == "logical":
            name = "any"
        if name in ("sum", "dot_product", "product"):
            op = "product" if name == "product" else "sum"
            if t.base == "complex":
                helper = self.unit.helpers.need("cmul" if op == "product" else "cadd", suffix_of(t))
                return f"{result} = {helper}({result}, {value});"
            if t.base == "integer":
                helper = self.unit.helpers.need("mul" if op == "product" else "add", suffix_of(t))
                return f"{result} = {helper}({result}, {value});"
            return f"{result} = {result} {'*' if op == 'product' else '+'} ({value});"
        if name in ("maxval", "minval"):
            return f"{result} = ({value}) {'>' if name == 'maxval' else '<'} {result} ? ({value}) : {result};"
        if name == "count":
            return f"if ({value}) {result}++;"
        return f"{result} = {result} {'||' if name == 'any' else '&&'} ({value});"


COUNT_TYPES = (INTEGER, INTEGER8, LOGICAL)
