"""Assignments inside of a kernel: scalars, records leaf by leaf, arrays and sections as loops."""

from __future__ import annotations

from collections.abc import Callable

from polystencil.analysis.assigned import base_id
from polystencil.codegen.array_loops import may_be_pointed_at
from polystencil.codegen.c_array_values import ArrayValuePrinter
from polystencil.codegen.c_places import ScalarPlace
from polystencil.codegen.dialect import value_type
from polystencil.codegen.refusal import NotLaunchable
from polystencil.ir import expressions as x
from polystencil.ir import statements as st
from polystencil.ir.traversal import walk_expression
from polystencil.ir.types import Record
from polystencil.ir.typing import rank_of, type_of


class AssignmentPrinter(ArrayValuePrinter):
    """Prints assignment statements."""

    def with_prelude(self, lines: list[str], make: Callable[[], str]) -> str:
        """The text that `make` prints; statements that it needs first are appended to `lines`."""
        outer, self.prelude = self.prelude, []
        text = make()
        lines += self.prelude
        self.prelude = outer
        return text

    def assign(self, s: st.Assign, lines: list[str]) -> None:
        if rank_of(s.target):
            self._assign_array(s, lines)
        elif isinstance(type_of(s.target), Record):
            self._assign_record(s, lines)
        else:
            self._scalar(s.target, s.value, lines)

    def _scalar(self, target: x.Expression, value: x.Expression, lines: list[str]) -> None:
        text = self.scalar_with_prelude(value, lines)
        before: list[str] = []
        lines.append(f"{self.with_prelude(before, lambda: self.store(target))} = {text};")
        lines[-1:-1] = before

    def store(self, target: x.Expression) -> str:
        """C text of the place that an assignment changes."""
        place, subscripts = self.designate(target)
        if isinstance(place, ScalarPlace):
            base = base_id(target)
            if base is not None and base not in self.scope.places and not place.text.startswith("(*"):
                raise NotLaunchable("an assignment to a scalar that all iterations share")
            return place.text
        return self.element(place, subscripts)

    def _assign_record(self, s: st.Assign, lines: list[str]) -> None:
        t = type_of(s.target)
        assert isinstance(t, Record)
        leaves = self.leaf_paths(t)
        if isinstance(s.value, x.FunctionCall):
            raise NotLaunchable("a function whose result is of derived type inside of a kernel")
        if not isinstance(s.value, (x.StructureConstructor, x.Ref, x.Element, x.Component)):
            raise NotLaunchable("a value of derived type inside of a kernel")
        stores: list[str] = []
        lines.append("{")
        for path, leaf in leaves:
            if leaf.shape:
                raise NotLaunchable("assignment of records with array components inside of a kernel")
            value = self._leaf_value(s.value, path)
            target = self._leaf_of(s.target, path)
            name = self.scope.names.fresh("_".join(path))
            text = self.scalar_with_prelude(value, lines)
            lines.append(f"const {value_type(self.intrinsic(target), self.unit.dialect)} {name} = {text};")
            stores.append(f"{self.store(target)} = {name};")
        lines += [*stores, "}"]

    def _leaf_of(self, e: x.Expression, path: tuple[str, ...]) -> x.Expression:
        for field in path:
            t = type_of(e)
            assert isinstance(t, Record)
            symbol = next(c for c in self.unit.table.types[t.id].components if c.name == field)
            e = x.Component(e, field, symbol.type, len(symbol.shape or ()))
        return e

    def _leaf_value(self, e: x.Expression, path: tuple[str, ...]) -> x.Expression:
        while path and isinstance(e, x.StructureConstructor):
            assert isinstance(e.type, Record)
            names = [c.name for c in self.unit.table.types[e.type.id].components]
            k = names.index(path[0])
            value = e.components[k] if k < len(e.components) else None
            if value is None:
                value = self.unit.table.types[e.type.id].components[k].initial
            if value is None:
                raise NotLaunchable("a structure constructor that leaves a component out")
            e, path = value, path[1:]
        return self._leaf_of(e, path)

    def _assign_array(self, s: st.Assign, lines: list[str]) -> None:
        if isinstance(type_of(s.target), Record):
            raise NotLaunchable("assignment of arrays of derived type inside of a kernel")
        base = base_id(s.target)
        assert base is not None
        if isinstance(s.target, (x.Ref, x.Component)) and self._may_be_reallocated(s.target):
            raise NotLaunchable("an assignment that may allocate inside of a kernel")
        lines.append("{")
        value = self.with_array_values(s.value, lines)
        try:
            self._check_overlap(s.target, value, base)
        except NotLaunchable as overlap:
            try:
                value = self.array_value(value, lines)
            except NotLaunchable:
                raise overlap from None
        before: list[str] = []
        if rank_of(value) == 0 and not isinstance(value, (x.Literal, x.NamedConstant)):
            t = self.intrinsic(value)
            name = self.scope.names.fresh("value")
            text = self.scalar_with_prelude(value, before)
            lines += [*before, f"const {value_type(t, self.unit.dialect)} {name} = {text};"]
            ref = x.Ref(f"{name}.value", t)
            self.scope.places[ref.id] = ScalarPlace(name, t, f"&{name}")
            value = ref
        offsets, closing = self.loops(s.target, lines)
        elements = self.elements
        self._scalar(elements.element(s.target, offsets), elements.element(value, offsets), lines)
        lines += [*closing, "}"]

    def _may_be_reallocated(self, e: x.Expression) -> bool:
        if isinstance(e, x.Ref):
            symbol = self.unit.table.symbols.get(e.id)
            return symbol is not None and "allocatable" in symbol.attributes
        return isinstance(e, x.Component) and e.rank > 0 and "allocatable" in self.component(e).attributes

    def _check_overlap(self, target: x.Expression, value: x.Expression, base: str) -> None:
        table = self.unit.table
        reads = self.unit.effects.of_expression(value).reads
        if may_be_pointed_at(target, table) and any(
            rank_of(node) and node != target and may_be_pointed_at(node, table)
            for node in walk_expression(value)
            if isinstance(node, (x.Ref, x.Element, x.Section, x.Component))
        ):
            raise NotLaunchable("an array assignment whose two sides may overlap inside of a kernel")
        if base not in reads:
            return
        same = 0
        for node in walk_expression(value):
            if node == target:
                same += sum(1 for n in walk_expression(node) if isinstance(n, x.Ref) and n.id == base)
        if any(isinstance(n, x.IntrinsicCall) and n.name == "transpose" for n in walk_expression(value)) or same != sum(
            1 for n in walk_expression(value) if isinstance(n, x.Ref) and n.id == base
        ):
            raise NotLaunchable("an array assignment whose two sides overlap inside of a kernel")
